#include "apps/agent/cli/commands.h"

#include <array>
#include <csignal>
#include <nss.h>
#include <string>
#include <utility>
#include <vector>

namespace {

// A static program must not load the C library's plug-ins for looking up users and hosts: they
// belong to another copy of it, and the program would crash.
void keep_lookups_in_files() {
    constexpr std::array databases{"passwd", "group", "initgroups", "services", "hosts"};
    for (const auto* database : databases) ::__nss_configure_lookup(database, "files");
}

}  // namespace

int main(int argc, char** argv) {
    keep_lookups_in_files();
    // A file that must not grow any more is an error of a write, like a full disk.
    std::signal(SIGXFSZ, SIG_IGN);
    std::vector<std::string> words(argv + 1, argv + argc);
    return static_cast<int>(muster::agent::cli::run_command_line(std::move(words)));
}
