#pragma once

#include "adapters/net/outbound_address_policy.h"
#include "adapters/os/background_worker.h"
#include "adapters/repository/contents.h"
#include "adapters/repository/metadata.h"
#include "ports/async.h"
#include "ports/clock.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::net {
class tls_client;
}

namespace muster::repository {

// The key that must have signed a repository's index.
struct signer {
    std::string key_url;      // same forms as a repository's address
    std::string fingerprint;  // of the key, or an id of at least 16 digits
};

// The address of a repository, and what to read from it.
struct source {
    packages::family layout = packages::family::rpm;
    std::string url;
    std::string arch = {};  // Debian only: "amd64"
    std::optional<signer> signed_by = {};
};

// Reads package repositories in the formats of createrepo_c and apt-ftparchive, over https, http or
// from a directory of this server. Users choose the address, so the operator's rules limit it;
// every redirect is checked in the same way. Checks the checksum of every file, and the signature
// of the index if the source names a signer. Parses on a background thread, one file at a time.
class repository_reader {
public:
    struct options {
        repository_limits limits = {};
        std::filesystem::path authorities = {};
        // Parents of local repositories; empty: local repositories are not allowed.
        std::vector<std::filesystem::path> directories = {};
        net::outbound_address_policy::options addresses = {};
    };

    explicit repository_reader(muster::clock& clock) : repository_reader(clock, options()) {}
    repository_reader(muster::clock& clock, options options);

    // Receives progress messages: "reads primary.xml.gz".
    using progress_callback = std::function<void(std::string)>;

    // errc::invalid: not a repository, or too large. errc::corrupt: a wrong checksum or signature.
    // errc::unavailable, with the reason: a file cannot be fetched.
    async<contents> read(source source, progress_callback progress);

private:
    struct access;

    using access_pointer = std::shared_ptr<access>;

    async<contents> read_rpm(access_pointer access, source source, progress_callback progress);
    // Paths of the index, which names all other files.
    struct index_paths {
        std::string index;
        std::string signature;
    };
    // Fetches the index and checks its signature.
    async<std::string> read_index(access_pointer access, source source, index_paths paths);
    async<std::string> fetch_key(access_pointer access, std::string url);
    async<contents> read_deb(access_pointer access, source source, progress_callback progress);
    async<std::string> fetch(access_pointer access, std::string path, std::size_t bytes_max);
    async<std::string> fetch_over_http(
        access_pointer access, std::string url, std::size_t bytes_max);
    result<std::shared_ptr<const net::tls_client>> tls_for(
        access& access, const std::string& url) const;
    // Calls `read` with the file's content on the background thread; it returns a result<void>.
    template <class Read>
    async<void> fetch_and_read(access_pointer access, metadata_file file, Read read);

    muster::clock& clock_;
    options options_;
    os::background_worker worker_;
};

}  // namespace muster::repository
