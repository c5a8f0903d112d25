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

// Whose signature a repository's index must have.
struct signer {
    std::string key_url;  // like a repository's address
    std::string print;    // the key's fingerprint, or an id of 16 digits at least
};

// Where a repository is, and what of it is wanted.
struct source {
    packages::family layout = packages::family::rpm;
    std::string url;
    std::string arch = {};  // of a Debian one: "amd64"
    std::optional<signer> signed_by = {};
};

// Reads package repositories as createrepo_c and apt-ftparchive make them: over https, http or from
// a directory of this server. Where a repository is somebody else says: it is looked for only where
// the operator lets it be, and every redirect is looked at like an address. Every file's checksum
// is compared with what the file that names it says, and the index with its signature if the source
// says whose it must be. Reading happens on a thread of its own, one after the other.
class repository_reader {
public:
    struct options {
        repository_limits limits = {};
        std::filesystem::path authorities = {};
        // Repositories of this server lie below one of these; none: there are none.
        std::vector<std::filesystem::path> directories = {};
        net::outbound_address_policy::options addresses = {};  // that may be called
    };

    explicit repository_reader(muster::clock& clock) : repository_reader(clock, options()) {}
    repository_reader(muster::clock& clock, options options);

    // What is being done, for whoever waits: "reads primary.xml.gz".
    using teller = std::function<void(std::string)>;

    // errc::invalid for what is no repository or too large; errc::corrupt for a file that is not
    // what it should be; errc::unavailable, with the reason, for one that cannot be had.
    async<contents> read(source from, teller teller);

private:
    struct way;

    async<contents> read_rpm(std::shared_ptr<way> through, source from, teller teller);
    // The file that names all others, checked.
    struct index_files {
        std::string index;
        std::string signature;
    };
    async<std::string> read_index(
        std::shared_ptr<way> through, source from, index_files index_files);
    async<std::string> fetch_key(std::shared_ptr<way> through, std::string url);
    async<contents> read_deb(std::shared_ptr<way> through, source from, teller teller);
    async<std::string> fetch(std::shared_ptr<way> through, std::string path, std::size_t bytes_max);
    async<std::string> fetch_over_http(
        std::shared_ptr<way> through, std::string url, std::size_t bytes_max);
    result<std::shared_ptr<const net::tls_client>> tls_for(
        way& through, const std::string& url) const;
    // Calls `read` with the content of the file on the thread of its own; it returns a
    // result<void>.
    template <class Read>
    async<void> take(std::shared_ptr<way> through, metadata_file file, Read read);

    muster::clock& clock_;
    options options_;
    os::background_worker beside_;
};

}  // namespace muster::repository
