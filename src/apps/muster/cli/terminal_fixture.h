#pragma once

#include "apps/muster/cli/password_prompt.h"

#include <doctest/doctest.h>

#include <pty.h>
#include <string>
#include <termios.h>
#include <unistd.h>

namespace muster::cli::test {

// A terminal, and the hands and eyes before it.
class terminal_fixture {
public:
    terminal_fixture() { REQUIRE(::openpty(&person_, &program_, nullptr, nullptr, nullptr) == 0); }
    terminal_fixture(const terminal_fixture&) = delete;
    terminal_fixture& operator=(const terminal_fixture&) = delete;
    ~terminal_fixture() {
        ::close(person_);
        ::close(program_);
    }

    terminal at() const { return {.in = program_, .out = program_}; }

    // Types once the question is on the screen.
    void answer(const std::string& question, const std::string& keys) {
        while (seen_.find(question, answered_) == std::string::npos) look();
        answered_ = seen_.size();
        REQUIRE(::write(person_, keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
    }
    const std::string& screen_until(const std::string& text) {
        while (!seen_.contains(text)) look();
        return seen_;
    }
    bool echoes() const {
        termios now{};
        REQUIRE(::tcgetattr(program_, &now) == 0);
        return (now.c_lflag & static_cast<tcflag_t>(ECHO)) != 0
               && (now.c_lflag & static_cast<tcflag_t>(ISIG)) != 0;
    }

private:
    void look() {
        std::string piece(256, '\0');
        const auto got = ::read(person_, piece.data(), piece.size());
        REQUIRE(got > 0);
        seen_.append(piece, 0, static_cast<std::size_t>(got));
    }

    int person_ = -1;
    int program_ = -1;
    std::string seen_;
    std::size_t answered_ = 0;
};

}  // namespace muster::cli::test
