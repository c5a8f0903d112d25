#include "apps/agent/cli/commands.h"

#include <array>
#include <csignal>
#include <nss.h>
#include <string>
#include <utility>
#include <vector>

namespace {

// A static program must not load the C library's modules for user and host lookups: they belong to
// another copy of the library, and the program would crash.
void restrict_lookups_to_files() {
    constexpr std::array databases{"passwd", "group", "initgroups", "services", "hosts"};
    for (const auto* database : databases) ::__nss_configure_lookup(database, "files");
}

}  // namespace

int main(int argc, char** argv) {
    restrict_lookups_to_files();
    // A write beyond the file size limit is an error, like a full disk.
    std::signal(SIGXFSZ, SIG_IGN);
    std::vector<std::string> words(argv + 1, argv + argc);
    return static_cast<int>(muster::agent::cli::run_command_line(std::move(words)));
}
