#include "apps/command_line/command.h"
#include "apps/muster/cli/command_line.h"

#include <fmt/format.h>

namespace muster::cli {
namespace {

exit_code print_version() {
    fmt::print("muster {}\n", MUSTER_VERSION);
    return exit_code::ok;
}

}  // namespace

void add_version(command_line::command& root, action& chosen) {
    auto* version = root.add_subcommand("version", "Print the version of this program");
    version->callback([&chosen] { chosen = print_version; });
}

}  // namespace muster::cli
