#pragma once

#include "base/result.h"

#include <string>

namespace muster::cli {

// The two ends of a terminal. Both must be one for a secret to be asked for.
struct terminal {
    int in = 0;
    int out = 2;

    bool is_one() const;
};

// Asks for a secret; what is typed is not shown. The terminal is as before afterwards, also after
// Ctrl-C, which is errc::cancelled. errc::invalid: nothing was typed, or more than is ever taken.
result<std::string> ask_secret(const std::string& question, const terminal& at = {});

// A new secret, asked for twice. errc::invalid: the two differ.
result<std::string> ask_new_secret(const std::string& question, const terminal& at = {});

// The secret in the file, or asked for on the terminal when none was named. `flag` is what to say
// where there is no terminal.
struct secret_prompt {
    std::string file;
    std::string question;
    std::string flag;
};
result<std::string> secret_from(const secret_prompt& secret_prompt, const terminal& at = {});

}  // namespace muster::cli
