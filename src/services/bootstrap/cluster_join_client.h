#pragma once

#include "ports/clock.h"
#include "runtime/log.h"
#include "services/bootstrap/certificate_files.h"

#include <filesystem>
#include <string>

namespace muster::bootstrap {

// Joins the cluster that a token is for: shows the token to one of its servers, whose CA must be
// the one the token names, and keeps the CA it is given. From then on this server is like any other
// and finds the cluster in the metastore.
class cluster_join_client {
public:
    struct options {
        std::string token;                 // TOKEN@HOST:PORT
        std::filesystem::path token_file;  // what holds it, if `token` is empty
        std::string name;
        std::string instance;
        std::string address;  // where others reach this server
        bool node = true;     // whether it has the role
    };

    cluster_join_client(
        const certificate_files& keys, muster::clock& clock, runtime::logger& log, options options)
        : keys_(keys), clock_(clock), log_(log), options_(std::move(options)) {}

    // Does nothing when this data directory has a CA already. An error is final: it says what to
    // do.
    async<void> run();

private:
    async<void> ask();

    const certificate_files& keys_;
    muster::clock& clock_;
    runtime::logger& log_;
    options options_;
};

// Whether it is TOKEN@HOST:PORT; who is behind it is not asked.
result<void> check_invitation(const std::string& text);
// What a `join_file` holds.
result<std::string> invitation_in(const std::filesystem::path& file);

}  // namespace muster::bootstrap
