#include "apps/muster/cli/command_line.h"

#include <string>
#include <utility>
#include <vector>

int main(int argc, char** argv) {
    namespace cli = muster::cli;
    std::vector<std::string> words(argv + 1, argv + argc);
    return static_cast<int>(cli::run_command_line(cli::all_commands(), std::move(words)));
}
