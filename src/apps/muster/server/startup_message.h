#pragma once

#include "runtime/log.h"

#include <filesystem>
#include <string>

namespace muster::server {

// What a server says when it begins to serve.
struct announcement {
    std::string cluster;
    bool is_new = false;
    std::string url;
    std::string advertised;
    std::filesystem::path authority;       // the file of the CA
    std::filesystem::path first_password;  // its file; gone once the password was changed
};

// To the log, to systemd, and in more words to a terminal. Names files of secrets, never what is in
// them.
void announce(const announcement& announcement, runtime::logger& log);

}  // namespace muster::server
