#include "apps/muster/cli/password_prompt.h"

#include "runtime/settings/settings.h"

#include <fmt/format.h>

#include <cerrno>
#include <optional>
#include <termios.h>
#include <unistd.h>

namespace muster::cli {
namespace {

constexpr std::size_t secret_bytes_max = 1024;

constexpr char interrupt = 0x03;
constexpr char end_of_input = 0x04;
constexpr char backspace = 0x08;
constexpr char clear_line = 0x15;
constexpr char rub_out = 0x7f;

// Keys come one by one and are not shown. Ctrl-C is one of them: as a signal it would leave the
// terminal of the shell behind without an echo.
class silent_terminal {
public:
    explicit silent_terminal(int in) : in_(in), known_(::tcgetattr(in, &before_) == 0) {
        termios silent = before_;
        silent.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
        silent.c_cc[VMIN] = 1;
        silent.c_cc[VTIME] = 0;
        known_ = known_ && ::tcsetattr(in, TCSAFLUSH, &silent) == 0;
    }
    silent_terminal(const silent_terminal&) = delete;
    silent_terminal& operator=(const silent_terminal&) = delete;
    ~silent_terminal() {
        if (known_) ::tcsetattr(in_, TCSAFLUSH, &before_);
    }
    bool is_silent() const { return known_; }

private:
    termios before_{};
    int in_;
    bool known_;
};

void say(int out, std::string_view text) {
    while (!text.empty()) {
        const auto written = ::write(out, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

std::optional<char> next_key(int in) {
    char key = 0;
    ssize_t got = 0;
    do {
        got = ::read(in, &key, 1);
    } while (got < 0 && errno == EINTR);
    return got == 1 ? std::optional(key) : std::nullopt;
}

// Takes off the last letter, all its bytes.
void drop_letter(std::string& text) {
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0U) == 0x80U)
        text.pop_back();
    if (!text.empty()) text.pop_back();
}

result<std::string> read_keys(int in) {
    std::string typed;
    while (const auto key = next_key(in)) {
        if (*key == interrupt) return fail(errc::cancelled, "interrupted");
        if (*key == '\n' || *key == '\r' || *key == end_of_input) break;
        if (*key == backspace || *key == rub_out) {
            drop_letter(typed);
        } else if (*key == clear_line) {
            typed.clear();
        } else {
            typed += *key;
        }
        if (typed.size() > secret_bytes_max)
            return fail(errc::invalid, fmt::format("more than {} bytes", secret_bytes_max));
    }
    if (typed.empty()) return fail(errc::invalid, "nothing was typed");
    return typed;
}

}  // namespace

bool terminal::is_one() const {
    return ::isatty(in) == 1 && ::isatty(out) == 1;
}

result<std::string> ask_secret(const std::string& question, const terminal& at) {
    const silent_terminal silent(at.in);
    if (!silent.is_silent()) return fail(errc::invalid, "the terminal cannot be made silent");
    say(at.out, question + ": ");
    auto typed = read_keys(at.in);
    say(at.out, "\n");
    return typed;
}

result<std::string> ask_new_secret(const std::string& question, const terminal& at) {
    TRY(auto first, ask_secret(question, at));
    TRY(const auto second, ask_secret(question + ", once more", at));
    if (first != second) return fail(errc::invalid, "the two differ; nothing was changed");
    return first;
}

result<std::string> secret_from(const secret_prompt& secret_prompt, const terminal& at) {
    if (!secret_prompt.file.empty()) return runtime::read_secret(secret_prompt.file);
    if (at.is_one()) return ask_secret(secret_prompt.question, at);
    return fail(
        errc::invalid,
        fmt::format("there is no terminal to ask on; say {} FILE", secret_prompt.flag));
}

}  // namespace muster::cli
