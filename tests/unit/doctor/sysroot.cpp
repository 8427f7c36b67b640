#include "sysroot.hpp"
#include "elf_writer.hpp"
#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

namespace doctor_test {

namespace fs = std::filesystem;

namespace {

/// "\n" and "\0" as they are meant.
std::string unescaped(const std::string& text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 == text.size()) {
            result += text[i];
            continue;
        }
        const char c = text[++i];
        result += c == 'n' ? '\n' : c == '0' ? '\0' : c == '1' ? '\1' : c == 't' ? '\t' : c;
    }
    return result;
}

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;)
        words.push_back(word);
    return words;
}

std::vector<std::string> parts_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> parts;
    for (std::string part; std::getline(stream, part, ',');)
        parts.push_back(part);
    return parts;
}

class Builder {
public:
    explicit Builder(fs::path root) : root_(std::move(root)) {}

    void run(const Line& line) {
        const std::vector<std::string> words = words_of(line.rest);
        const std::size_t cut = std::min(line.rest.find(' '), line.rest.size());
        const std::string path = line.rest.substr(0, cut), text = line.rest.substr(std::min(cut + 1, line.rest.size()));
        if (line.verb == "file")
            write(path, unescaped(text), false);
        else if (line.verb == "append")
            write(path, unescaped(text) + '\n', true);
        else if (line.verb == "link")
            link(path, text);
        else if (line.verb == "folder")
            fs::create_directories(place(path));
        else if (line.verb == "readonly")
            fs::permissions(place(path), fs::perms::owner_read | fs::perms::owner_exec);
        else if (line.verb == "remove")
            remove(path);
        else if (line.verb == "elf")
            write(path, elf_file(elf_of(words)), false);
        else if (line.verb == "gpu")
            gpu(words);
        else if (line.verb == "driver")
            driver(words);
        else if (line.verb == "module")
            module(words);
        else if (line.verb == "node")
            nodes_[words.at(0)] = words.at(1) + ' ' + words.at(2) + ' ' + words.at(3) + ' ' + words.at(0);
        else if (line.verb == "env")
            variable(line.rest);
        else if (line.verb == "user")
            user(words);
        else if (line.verb == "interpreter")
            built_.python = line.rest;
        else if (line.verb == "python")
            python(unescaped(line.rest));
        else
            throw std::runtime_error("machines: no such line: " + line.verb);
    }

    Built finish() {
        std::string text;
        for (const auto& [name, value] : environment_)
            text += name + '=' + value + '\0';
        write("/proc/self/environ", text, false);
        text.clear();
        for (const auto& [path, line] : nodes_)
            text += line + '\n';
        write("/devq-nodes", text, false);
        return built_;
    }

private:
    fs::path place(const std::string& path) const { return root_ / path.substr(1); }

    void write(const std::string& path, const std::string& text, bool append) {
        const fs::path file = place(path);
        fs::create_directories(file.parent_path());
        if (!append)
            fs::remove(file);
        std::ofstream(file, append ? std::ios::app | std::ios::binary : std::ios::binary) << text;
    }
    void link(const std::string& path, const std::string& target) {
        const fs::path file = place(path);
        fs::create_directories(file.parent_path());
        fs::remove(file);
        fs::create_symlink(target, file);
    }
    void remove(const std::string& path) {
        nodes_.erase(path);
        fs::remove_all(place(path));
    }

    static ElfText elf_of(const std::vector<std::string>& words) {
        ElfText text;
        text.soname = words[0].substr(words[0].rfind('/') + 1);
        for (std::size_t i = 1; i < words.size(); ++i) {
            const std::size_t sign = words[i].find('=');
            const std::string name = words[i].substr(0, sign), value = words[i].substr(sign + 1);
            if (name == "soname")
                text.soname = value;
            else if (name == "needs")
                text.needed = parts_of(value);
            else if (name == "bits")
                text.bits = std::stoi(value);
            else if (name == "machine")
                text.machine = static_cast<unsigned>(std::stoul(value));
            else if (name == "run")
                text.run_path = value;
            else if (name == "glibc")
                text.needs_glibc = value;
            else if (name == "defines")
                text.defines_glibc = parts_of(value);
            else
                throw std::runtime_error("machines: elf: " + words[i]);
        }
        return text;
    }

    /// gpu ADDRESS VENDOR:DEVICE DRIVER [render=128] [class=0x030000] [boot] [asleep]
    void gpu(const std::vector<std::string>& words) {
        const std::string folder = "/sys/bus/pci/devices/" + words.at(0);
        write(folder + "/vendor", "0x" + words.at(1).substr(0, 4) + "\n", false);
        write(folder + "/device", "0x" + words.at(1).substr(5) + "\n", false);
        write(folder + "/class", "0x030000\n", false);
        driver({words[0], words.at(2)});
        for (std::size_t i = 3; i < words.size(); ++i) {
            if (words[i].starts_with("render="))
                fs::create_directories(place(folder + "/drm/renderD" + words[i].substr(7)));
            else if (words[i].starts_with("class="))
                write(folder + "/class", words[i].substr(6) + "\n", false);
            else if (words[i] == "boot")
                write(folder + "/boot_vga", "1\n", false);
            else if (words[i] == "asleep")
                write(folder + "/power/runtime_status", "suspended\n", false);
            else
                throw std::runtime_error("machines: gpu: " + words[i]);
        }
    }
    void driver(const std::vector<std::string>& words) {
        const std::string file = "/sys/bus/pci/devices/" + words.at(0) + "/driver";
        fs::remove(place(file));
        if (words.at(1) != "none")
            link(file, "../../../../bus/pci/drivers/" + words[1]);
    }
    void module(const std::vector<std::string>& words) {
        fs::create_directories(place("/sys/module/" + words.at(0)));
        if (words.size() > 1)
            write("/sys/module/" + words[0] + "/version", words[1] + "\n", false);
    }
    void variable(const std::string& text) {
        const std::size_t sign = text.find('=');
        if (sign == std::string::npos)
            environment_.erase(text);
        else
            environment_[text.substr(0, sign)] = text.substr(sign + 1);
    }
    void user(const std::vector<std::string>& words) {
        std::string groups;
        for (std::size_t i = 1; i < words.size(); ++i)
            groups += words[i] + ' ';
        const std::string &id = words.at(0), own = words.size() > 1 ? words[1] : id;
        write("/proc/self/status",
              "Name:\tdevq\nUid:\t" + id + "\t" + id + "\t" + id + "\t" + id + "\nGid:\t" + own + "\t" + own + "\t" +
                  own + "\t" + own + "\nGroups:\t" + groups + "\n",
              false);
    }
    /// A program of sh that answers as examine.py would: `python NAME: JSON`, or `python NAME! COMMAND`.
    void python(const std::string& text) {
        const std::size_t end = text.find_first_of(":!");
        const std::string name = text.substr(0, end), rest = text.substr(end + 2);
        const std::string answer = text[end] == '!' ? rest : "printf '\\n\\036%s\\n' '" + rest + "'";
        built_.python = root_ / "python";
        if (!fs::exists(built_.python)) {
            std::ofstream(built_.python) << "#!/bin/sh\n[ \"$1\" = -c ] || exit 9\n";
            fs::permissions(built_.python, fs::perms::owner_all);
        }
        std::ofstream(built_.python, std::ios::app)
            << "if [ \"$3\" = " << name << " ]; then " << answer << "; exit 0; fi\n";
    }

    fs::path root_;
    std::map<std::string, std::string> environment_, nodes_;
    Built built_;
};

} // namespace

std::vector<MachineText> read_machines(const fs::path& folder) {
    std::set<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".txt" && entry.path().stem() != "README")
            files.insert(entry.path());
    std::vector<MachineText> machines;
    for (const fs::path& file : files) {
        std::ifstream stream(file);
        for (std::string line; std::getline(stream, line);) {
            const std::size_t cut = std::min(line.find(' '), line.size());
            const std::string verb = line.substr(0, cut), rest = line.substr(std::min(cut + 1, line.size()));
            if (line.empty() || line[0] == '#')
                continue;
            if (verb == "machine" || verb == "base") {
                machines.emplace_back();
                machines.back().name = rest;
                machines.back().is_base = verb == "base";
                continue;
            }
            MachineText& machine = machines.at(machines.size() - 1);
            if (verb == "like") {
                const auto other = std::find_if(machines.begin(), machines.end(),
                                                [&](const MachineText& one) { return one.name == rest; });
                if (other == machines.end())
                    throw std::runtime_error("machines: like an unknown one: " + rest);
                machine.lines.insert(machine.lines.end(), other->lines.begin(), other->lines.end());
                machine.area = other->area;
            } else if (verb == "expect") {
                for (const std::string& id : words_of(rest))
                    machine.expected.push_back(id);
            } else if (verb == "says") {
                machine.says.push_back(rest);
            } else if (verb == "about") {
                machine.about = rest;
            } else if (verb == "shell") {
                machine.shell.push_back(unescaped(rest));
            } else if (verb == "exit") {
                machine.exit_code = std::stoi(rest);
            } else if (verb == "area") {
                machine.area = rest;
            } else {
                machine.lines.push_back({verb, rest});
            }
        }
    }
    return machines;
}

Built build_machine(const MachineText& machine, const fs::path& root) {
    Builder builder(root);
    for (const Line& line : machine.lines)
        builder.run(line);
    return builder.finish();
}

} // namespace doctor_test
