// Device nodes: those that there are, and those that the GPUs found should have.
#include "facts.hpp"

namespace devq::doctor {

void gather_nodes(const System& system, Facts& facts) {
    std::vector<std::string> wanted{"/dev/kfd", "/dev/dxg", "/dev/nvidiactl", "/dev/nvidia-uvm"};
    for (const Pci& gpu : facts.gpus)
        for (const std::string& node : {gpu.render_node, gpu.card_node})
            if (!node.empty())
                wanted.push_back(node);
    for (int i = 0; i < 16; ++i)
        wanted.push_back("/dev/nvidia" + std::to_string(i));
    for (const std::string& path : wanted) {
        const Node node = system.node(path);
        if (node.there)
            facts.owners[path] = system.user_name(node.user) + ':' + system.group_name(node.group);
        facts.nodes[path] = node;
    }
}

} // namespace devq::doctor
