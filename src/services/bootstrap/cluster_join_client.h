#pragma once

#include "ports/clock.h"
#include "runtime/log.h"
#include "services/bootstrap/certificate_files.h"

#include <filesystem>
#include <string>

namespace muster::bootstrap {

// Joins a cluster with a token: sends the token to one of its servers, whose CA must have the
// fingerprint in the token, and saves the received CA. Then this server finds the cluster in the
// metastore like any other.
class cluster_join_client {
public:
    struct options {
        std::string token;                 // TOKEN@HOST:PORT
        std::filesystem::path token_file;  // file with the token, if `token` is empty
        std::string name;
        std::string instance;
        std::string address;  // where other servers reach this one
        bool node = true;     // whether it has the node role
    };

    cluster_join_client(
        const certificate_files& keys, muster::clock& clock, runtime::logger& log, options options)
        : keys_(keys), clock_(clock), log_(log), options_(std::move(options)) {}

    // Does nothing when the data directory has a CA already. Errors are final and tell what to do.
    async<void> run();

private:
    async<void> send_request();

    const certificate_files& keys_;
    muster::clock& clock_;
    runtime::logger& log_;
    options options_;
};

// Checks the form TOKEN@HOST:PORT; does not contact the server.
result<void> check_join_target(const std::string& text);
// Reads a `join_file`.
result<std::string> read_join_file(const std::filesystem::path& file);

}  // namespace muster::bootstrap
