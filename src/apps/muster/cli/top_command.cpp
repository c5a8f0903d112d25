#include "apps/command_line/command.h"
#include "apps/muster/cli/api_command.h"
#include "apps/muster/cli/command_line.h"
#include "apps/muster/cli/top_screen.h"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <poll.h>
#include <string>
#include <termios.h>
#include <unistd.h>

namespace muster::cli {
namespace {

constexpr auto examples =
    "Examples:\n"
    "  muster top                 live view; q quits, s changes the sort column\n"
    "  muster top --once          print once, as text\n"
    "  muster top -o json         print once, as JSON\n";

struct top_flags {
    api_flags api;
    bool once = false;
};

volatile std::sig_atomic_t stop_requested = 0;

void note_signal(int /*number*/) {
    stop_requested = 1;
}

// Switches the terminal to single keys and an alternate screen; restores both at the end.
class live_terminal {
public:
    live_terminal() {
        ::tcgetattr(STDIN_FILENO, &original_);
        termios raw_mode = original_;
        raw_mode.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
        ::tcsetattr(STDIN_FILENO, TCSANOW, &raw_mode);
        std::signal(SIGINT, note_signal);
        std::signal(SIGTERM, note_signal);
        fmt::print("\x1b[?1049h\x1b[?25l");
    }
    live_terminal(const live_terminal&) = delete;
    live_terminal& operator=(const live_terminal&) = delete;
    ~live_terminal() {
        fmt::print("\x1b[?25h\x1b[?1049l");
        static_cast<void>(std::fflush(stdout));
        ::tcsetattr(STDIN_FILENO, TCSANOW, &original_);
    }

    static screen_size size() {
        winsize window{};
        if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0) return {};
        return {.columns = window.ws_col, .rows = window.ws_row};
    }

    static void show(const std::string& screen) {
        std::string output = "\x1b[H";
        for (const char letter : screen) {
            if (letter == '\n') output += "\x1b[K";
            output += letter;
        }
        fmt::print("{}\x1b[K\x1b[J", output);
        static_cast<void>(std::fflush(stdout));
    }

    // The key that was pressed within this time; 0 if none.
    static char key_within(std::chrono::milliseconds span) {
        pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
        if (::poll(&input, 1, static_cast<int>(span.count())) <= 0) return 0;
        char pressed = 'q';  // also when the terminal is gone
        static_cast<void>(::read(STDIN_FILENO, &pressed, 1));
        return pressed;
    }

private:
    termios original_{};
};

exit_code show_live(const top_flags& flags) {
    const auto context = resolve_context(flags.api.client);
    auto order = top_order::attached;
    api_failure failure{.code = exit_code::ok, .message = {}};
    {
        const live_terminal terminal;
        while (stop_requested == 0) {
            const auto stats = call_api(context, {.path = "/api/v1/stats"});
            if (!stats) {
                failure = stats.error();
                // Other failures, such as missing rights, do not pass by waiting.
                if (failure.code != exit_code::unreachable) break;
                live_terminal::show("waiting for the cluster: " + failure.message + "\n\nq quit");
            } else {
                failure = {.code = exit_code::ok, .message = {}};
                live_terminal::show(render_top(*stats, order, live_terminal::size()));
            }
            const char key = live_terminal::key_within(std::chrono::seconds(1));
            if (key == 'q') break;
            if (key == 's') order = next(order);
        }
    }
    if (failure.code != exit_code::ok) fmt::print(stderr, "muster top: {}\n", failure.message);
    return failure.code;
}

exit_code show_once(const top_flags& flags) {
    const auto stats = call_api(resolve_context(flags.api.client), {.path = "/api/v1/stats"});
    if (!stats) {
        fmt::print(stderr, "muster top: {}\n", stats.error().message);
        return stats.error().code;
    }
    if (flags.api.format != output_format::table) {
        fmt::print("{}", render(*stats, flags.api.format, {}));
        return exit_code::ok;
    }
    constexpr screen_size unlimited{.columns = 200, .rows = 100'000};
    const auto output = render_top(*stats, top_order::name, unlimited);
    fmt::print("{}\n", output.substr(0, output.rfind("\n\n")));
    return exit_code::ok;
}

}  // namespace

void add_top(command_line::command& root, action& chosen) {
    auto* verb = root.add_subcommand("top", "Show live statistics of zones and nodes");
    const auto flags = std::make_shared<top_flags>();
    add_client_flags(*verb, flags->api.client);
    add_output_flag(*verb, flags->api.format);
    verb->add_flag("--once", flags->once, "Print once and exit");
    verb->footer(examples);
    verb->callback([&chosen, flags] {
        const bool live = !flags->once && flags->api.format == output_format::table
                          && ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
        chosen = [flags, live] {
            return live ? show_live(*flags) : show_once(*flags);
        };
    });
}

}  // namespace muster::cli
