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
    "  muster top                 the cluster, live; q quits, s sorts by another column\n"
    "  muster top --once          the same once, as text\n"
    "  muster top -o json         the same once, for programs\n";

struct top_flags {
    api_flags api;
    bool once = false;
};

volatile std::sig_atomic_t asked_to_stop = 0;

void note_signal(int /*number*/) {
    asked_to_stop = 1;
}

// The terminal as `top` needs it: keys come at once, and what was on the screen comes back at the
// end, whichever way that comes.
class live_terminal {
public:
    live_terminal() {
        ::tcgetattr(STDIN_FILENO, &before_);
        termios keys = before_;
        keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
        ::tcsetattr(STDIN_FILENO, TCSANOW, &keys);
        std::signal(SIGINT, note_signal);
        std::signal(SIGTERM, note_signal);
        fmt::print("\x1b[?1049h\x1b[?25l");
    }
    live_terminal(const live_terminal&) = delete;
    live_terminal& operator=(const live_terminal&) = delete;
    ~live_terminal() {
        fmt::print("\x1b[?25h\x1b[?1049l");
        static_cast<void>(std::fflush(stdout));
        ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    }

    static screen_size size() {
        winsize now{};
        if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &now) != 0 || now.ws_col == 0) return {};
        return {.columns = now.ws_col, .rows = now.ws_row};
    }

    static void show(const std::string& screen) {
        std::string out = "\x1b[H";
        for (const char letter : screen) {
            if (letter == '\n') out += "\x1b[K";
            out += letter;
        }
        fmt::print("{}\x1b[K\x1b[J", out);
        static_cast<void>(std::fflush(stdout));
    }

    // The key that was pressed within the span; 0 for none.
    static char key_within(std::chrono::milliseconds span) {
        pollfd keys{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
        if (::poll(&keys, 1, static_cast<int>(span.count())) <= 0) return 0;
        char pressed = 'q';  // also when the terminal is gone
        static_cast<void>(::read(STDIN_FILENO, &pressed, 1));
        return pressed;
    }

private:
    termios before_{};
};

exit_code show_live(const top_flags& flags) {
    const auto where = context_of(flags.api.client);
    auto by = top_order::attached;
    api_failure failure{.code = exit_code::well, .sentence = {}};
    {
        const live_terminal terminal;
        while (asked_to_stop == 0) {
            const auto stats = call_api(where, {.path = "/api/v1/stats"});
            if (!stats) {
                failure = stats.error();
                // Who may not look will not be let in a second later either.
                if (failure.code != exit_code::unreachable) break;
                live_terminal::show("waiting for the cluster: " + failure.sentence + "\n\nq quit");
            } else {
                failure = {.code = exit_code::well, .sentence = {}};
                live_terminal::show(render_top(*stats, by, live_terminal::size()));
            }
            const char key = live_terminal::key_within(std::chrono::seconds(1));
            if (key == 'q') break;
            if (key == 's') by = next(by);
        }
    }
    if (failure.code != exit_code::well) fmt::print(stderr, "muster top: {}\n", failure.sentence);
    return failure.code;
}

exit_code show_once(const top_flags& flags) {
    const auto stats = call_api(context_of(flags.api.client), {.path = "/api/v1/stats"});
    if (!stats) {
        fmt::print(stderr, "muster top: {}\n", stats.error().sentence);
        return stats.error().code;
    }
    if (flags.api.format != output_format::table) {
        fmt::print("{}", render(*stats, flags.api.format, {}));
        return exit_code::well;
    }
    constexpr screen_size all{.columns = 200, .rows = 100'000};
    const auto output = render_top(*stats, top_order::name, all);
    fmt::print("{}\n", output.substr(0, output.rfind("\n\n")));
    return exit_code::well;
}

}  // namespace

void add_top(command_line::command& root, action& chosen) {
    auto* verb = root.add_subcommand("top", "Watch the cluster: zones, nodes and what they hold");
    const auto flags = std::make_shared<top_flags>();
    add_client_flags(*verb, flags->api.client);
    add_output_flag(*verb, flags->api.format);
    verb->add_flag("--once", flags->once, "Print it once instead of watching");
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
