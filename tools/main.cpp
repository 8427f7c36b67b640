#include <devq/api.hpp>
#include <iostream>

int main() {
    std::cout << "devq " DEVQ_VERSION_STRING "\n";
}
