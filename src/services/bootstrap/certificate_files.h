#pragma once

#include "adapters/os/data_directory.h"
#include "adapters/pki/authority.h"
#include "adapters/pki/fingerprint.h"
#include "base/result.h"
#include "base/time.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace muster::bootstrap {

// The keys and certificates in the data directory:
//   ca.pem, ca-key.pem          the cluster's CA
//   server.pem, server-key.pem  what this server shows
class certificate_files {
public:
    struct options {
        std::string name;                // this server's
        std::vector<std::string> hosts;  // further names and addresses it is reached by
        std::chrono::seconds lifetime = pki::authority::server_lifetime;
    };

    certificate_files(const os::data_directory& where, options options)
        : where_(where), options_(std::move(options)) {}

    // Nothing when there is no CA yet. A CA that has ended is refused with its date.
    result<std::optional<pki::authority>> find_authority(wall_time now) const;
    result<pki::authority> make_authority(const std::string& cluster_id, wall_time now) const;
    // Keeps the CA of a cluster this server joins; it must be the one with that fingerprint.
    result<void> adopt_authority(
        const std::string& certificate,
        const std::string& key,
        const pki::fingerprint& print) const;
    void drop_authority() const;  // undoes make_authority()

    // The server's certificate: the one that is there, or a new one when there is none or it is
    // near its end. One that has ended is refused with its date and the cure: a server that was
    // away for so long should be looked at.
    result<pki::identity> server_identity(const pki::authority& from, wall_time now) const;
    // One of the cluster's CA that is not kept: for agents and other servers, who believe no other,
    // where browsers are shown one that the operator brought.
    result<pki::identity> unkept_identity(const pki::authority& from, wall_time now) const;
    // The one that is there, for a reload.
    result<pki::identity> load_server_identity(wall_time now) const;

    // When the certificate should be replaced: a third of its life before its end.
    static wall_time renewal_due(const pki::certificate& current);

private:
    result<pki::identity> issue(const pki::authority& from, wall_time now) const;

    const os::data_directory& where_;
    options options_;
};

}  // namespace muster::bootstrap
