#include "apps/muster/cli/command_line.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace {

int fail_output(const std::system_error& failure) {
    if (failure.code().value() == EPIPE) {
        // The reader has seen enough (`muster systems | head`): end as other programs do.
        std::signal(SIGPIPE, SIG_DFL);
        std::raise(SIGPIPE);
    }
    std::fprintf(stderr, "muster: %s\n", failure.what());
    return static_cast<int>(muster::cli::exit_code::failed);
}

}  // namespace

int main(int argc, char** argv) {
    namespace cli = muster::cli;
    std::vector<std::string> words(argv + 1, argv + argc);
    try {
        const auto code = cli::run_command_line(cli::all_commands(), std::move(words));
        if (std::fflush(stdout) != 0)
            return fail_output({errno, std::generic_category(), "cannot write the output"});
        return static_cast<int>(code);
    } catch (const std::system_error& failure) {
        return fail_output(failure);
    }
}
