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
//   server.pem, server-key.pem  the certificate of this server
class certificate_files {
public:
    struct options {
        std::string name;                // name of this server
        std::vector<std::string> hosts;  // further names and addresses of this server
        std::chrono::seconds lifetime = pki::authority::server_lifetime;
    };

    certificate_files(const os::data_directory& directory, options options)
        : directory_(directory), options_(std::move(options)) {}

    // Nothing when there is no CA yet. An expired CA is refused with its date.
    result<std::optional<pki::authority>> find_authority(wall_time now) const;
    result<pki::authority> create_authority(const std::string& cluster_id, wall_time now) const;
    // Saves the CA of the cluster that this server joins; it must have that fingerprint.
    result<void> adopt_authority(
        const std::string& certificate,
        const std::string& key,
        const pki::fingerprint& fingerprint) const;
    void drop_authority() const;  // undoes create_authority()

    // The certificate of the server: the existing one, or a new one when it is missing or near its
    // end. An expired one is refused with instructions, because a server that was away for so long
    // needs attention.
    result<pki::identity> server_identity(const pki::authority& authority, wall_time now) const;
    // A certificate of the cluster CA that is not saved. Agents and other servers, which trust no
    // other CA, get it while browsers get one that the operator installed.
    result<pki::identity> issue_unsaved(const pki::authority& authority, wall_time now) const;
    // The existing certificate, for a reload.
    result<pki::identity> load_server_identity(wall_time now) const;

    // The time to replace the certificate: a third of its lifetime before its end.
    static wall_time renewal_due(const pki::certificate& current);

private:
    result<pki::identity> issue(const pki::authority& authority, wall_time now) const;

    const os::data_directory& directory_;
    options options_;
};

}  // namespace muster::bootstrap
