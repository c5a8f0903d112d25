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
constexpr char delete_key = 0x7f;

// Reads keys without echo. Ctrl-C is read as a key: as a signal it would leave the terminal without
// echo.
class silent_terminal {
public:
    explicit silent_terminal(int in) : in_(in), silenced_(::tcgetattr(in, &original_) == 0) {
        termios silent = original_;
        silent.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
        silent.c_cc[VMIN] = 1;
        silent.c_cc[VTIME] = 0;
        silenced_ = silenced_ && ::tcsetattr(in, TCSAFLUSH, &silent) == 0;
    }
    silent_terminal(const silent_terminal&) = delete;
    silent_terminal& operator=(const silent_terminal&) = delete;
    ~silent_terminal() {
        if (silenced_) ::tcsetattr(in_, TCSAFLUSH, &original_);
    }
    bool is_silent() const { return silenced_; }

private:
    termios original_{};
    int in_;
    bool silenced_;
};

void write_text(int out, std::string_view text) {
    while (!text.empty()) {
        const auto written = ::write(out, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

std::optional<char> next_key(int in) {
    char key = 0;
    ssize_t count = 0;
    do {
        count = ::read(in, &key, 1);
    } while (count < 0 && errno == EINTR);
    return count == 1 ? std::optional(key) : std::nullopt;
}

// Removes the last letter with all its bytes.
void remove_last_letter(std::string& text) {
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0U) == 0x80U)
        text.pop_back();
    if (!text.empty()) text.pop_back();
}

result<std::string> read_keys(int in) {
    std::string typed;
    while (const auto key = next_key(in)) {
        if (*key == interrupt) return fail(errc::cancelled, "interrupted");
        if (*key == '\n' || *key == '\r' || *key == end_of_input) break;
        if (*key == backspace || *key == delete_key) {
            remove_last_letter(typed);
        } else if (*key == clear_line) {
            typed.clear();
        } else {
            typed += *key;
        }
        if (typed.size() > secret_bytes_max)
            return fail(
                errc::invalid, fmt::format("input is longer than {} bytes", secret_bytes_max));
    }
    if (typed.empty()) return fail(errc::invalid, "empty input");
    return typed;
}

}  // namespace

bool terminal::is_terminal() const {
    return ::isatty(in) == 1 && ::isatty(out) == 1;
}

result<std::string> prompt_secret(const std::string& question, const terminal& screen) {
    const silent_terminal silent(screen.in);
    if (!silent.is_silent()) return fail(errc::invalid, "cannot turn off echo on the terminal");
    write_text(screen.out, question + ": ");
    auto typed = read_keys(screen.in);
    write_text(screen.out, "\n");
    return typed;
}

result<std::string> prompt_new_secret(const std::string& question, const terminal& screen) {
    TRY(auto first, prompt_secret(question, screen));
    TRY(const auto second, prompt_secret(question + ", again", screen));
    if (first != second) return fail(errc::invalid, "passwords do not match; nothing was changed");
    return first;
}

result<std::string> read_secret(const secret_prompt& prompt, const terminal& screen) {
    if (!prompt.file.empty()) return runtime::read_secret(prompt.file);
    if (screen.is_terminal()) return prompt_secret(prompt.question, screen);
    return fail(
        errc::invalid, fmt::format("no terminal for a password prompt; use {} FILE", prompt.flag));
}

}  // namespace muster::cli
