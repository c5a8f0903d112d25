#pragma once

#include "adapters/os/side_worker.h"
#include "adapters/repository/contents.h"
#include "adapters/repository/metadata.h"
#include "ports/async.h"
#include "ports/clock.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace muster::repository {

// Where a repository is, and what of it is wanted.
struct source {
    packages::family layout = packages::family::rpm;
    std::string url;
    std::string arch = {};  // of a Debian one: "amd64"
};

// Reads package repositories as createrepo_c and apt-ftparchive make them: over https, http or from
// a directory of this server. Every file's checksum is compared with what the file that names it
// says. Signatures are not checked. Reading happens on a thread of its own, one after the other.
class repository_reader {
public:
    struct options {
        repository_limits limits = {};
        std::filesystem::path authorities = "/etc/ssl/certs/ca-certificates.crt";
    };

    explicit repository_reader(clock& time) : repository_reader(time, options()) {}
    repository_reader(clock& time, options how);

    // What is being done, for whoever waits: "reads primary.xml.gz".
    using teller = std::function<void(std::string)>;

    // errc::invalid for what is no repository or too large; errc::corrupt for a file that is not
    // what it should be; errc::unavailable, with the reason, for one that cannot be had.
    async<contents> read(source from, teller told);

private:
    struct way;

    async<contents> read_rpm(std::shared_ptr<way> through, teller told);
    async<contents> read_deb(std::shared_ptr<way> through, source from, teller told);
    async<std::string> fetch(std::shared_ptr<way> through, std::string path, std::size_t bytes_max);
    async<std::string> fetch_over_http(
        std::shared_ptr<way> through, std::string url, std::size_t bytes_max);
    using reading = std::function<result<void>(std::string_view)>;
    async<void> take(std::shared_ptr<way> through, metadata_file file, reading how);

    clock& time_;
    options how_;
    os::side_worker beside_;
};

}  // namespace muster::repository
