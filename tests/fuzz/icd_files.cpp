// Any text as an .icd file, and as the loader's search path: no driver is named that the file does not name.
#include "icd_files.hpp"
#include "check.hpp"
#include "services.hpp"
#include <cstdint>
#include <fstream>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using devq::fuzz::expect;
    static const devq::detail::PrivateFolder folder;
    static const std::filesystem::path file = folder.path() / "driver.icd";
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
    ::setenv("OCL_ICD_VENDORS", folder.path().c_str(), 1);
    const std::string search(text.substr(std::min(text.find('\n'), text.size())));
    ::setenv("LD_LIBRARY_PATH", search.c_str(), 1);

    const auto icds = devq::opencl::icd_files();
    expect(icds.size() == 1 && icds[0].file == file, "the folder has one driver");
    const std::string_view line = text.substr(0, text.find('\n'));
    if (icds[0].problem.empty())
        expect(icds[0].library == line, "the driver is what the first line says");
    else
        expect(icds[0].resolved.empty() && line.find_first_not_of(" \t\r") == std::string_view::npos,
               "only a blank line names no driver");
    return 0;
}
