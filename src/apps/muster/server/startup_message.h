#pragma once

#include "runtime/log.h"

#include <filesystem>
#include <string>

namespace muster::server {

// What a server reports when it begins to serve.
struct startup_message {
    std::string cluster;
    bool is_new = false;
    std::string url;
    std::string advertised;
    std::filesystem::path authority;       // the file of the CA
    std::filesystem::path first_password;  // its file; removed when the password is changed
};

// Reports to the log, to systemd and, in more detail, to a terminal. Names files of secrets, never
// their contents.
void announce(const startup_message& message, runtime::logger& log);

}  // namespace muster::server
