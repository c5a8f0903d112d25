#pragma once

#include "base/result.h"

#include <string>

namespace muster::cli {

// Input and output of a terminal. Prompts need both.
struct terminal {
    int in = 0;
    int out = 2;

    bool is_terminal() const;
};

// Prompts for a secret without echo. Restores the terminal afterwards, also after Ctrl-C, which is
// errc::cancelled. errc::invalid: the input is empty or too long.
result<std::string> prompt_secret(const std::string& question, const terminal& screen = {});

// Prompts for a new secret twice. errc::invalid: the inputs differ.
result<std::string> prompt_new_secret(const std::string& question, const terminal& screen = {});

// Reads the secret from the file, or prompts for it if no file is given. `flag` is named in the
// error if there is no terminal.
struct secret_prompt {
    std::string file;
    std::string question;
    std::string flag;
};
result<std::string> read_secret(const secret_prompt& prompt, const terminal& screen = {});

}  // namespace muster::cli
