#pragma once

#include "adapters/os/data_directory.h"
#include "ports/clock.h"
#include "ports/ledger.h"
#include "ports/metastore.h"
#include "services/bootstrap/certificate_files.h"
#include "services/cluster/readiness.h"
#include "services/cluster/record.h"
#include "services/people/record.h"

#include <optional>
#include <string>

namespace muster::bootstrap {

// Finds the cluster of this server, or creates one when there is none.
//
// Data directory, metastore and ledger must agree on the cluster. If they do not, nothing is
// changed and the error names the difference. The next start repairs an interrupted one: the record
// in the metastore decides whether the cluster exists, and `cluster-id` in the data directory is
// written last.
//
// A cluster that had a ledger refuses an empty one, because deleted systems would be lost. Not
// thread-safe.
class cluster_bootstrap {
public:
    struct bootstrap_result {
        cluster::cluster_record record;
        pki::authority authority;
        bool is_new = false;
    };

    cluster_bootstrap(
        const os::data_directory& directory,
        const certificate_files& keys,
        muster::metastore& metastore,
        muster::ledger& ledger,
        muster::clock& clock)
        : directory_(directory),
          keys_(keys),
          metastore_(metastore),
          ledger_(ledger),
          clock_(clock) {}

    enum class ca_source { local, join };

    // Checks the agreement before the ledger is migrated, because it may belong to another cluster.
    // Changes nothing. Errors as for run().
    async<void> check(ca_source source);

    // Requires a migrated ledger. errc::unavailable and timed_out: an engine is unavailable, try
    // again. Other errors are final.
    async<bootstrap_result> run();

    // The last engine used, to name the one that is unavailable.
    cluster::engine last_engine() const { return last_engine_; }

private:
    // What data directory, metastore and ledger contain, before any change.
    struct stored_state {
        std::string own_id;  // of the data directory; empty: none yet
        std::optional<cluster::cluster_record> record;
        bool had_ledger = false;  // according to the metastore
        std::optional<std::string> ledger_id;
    };

    async<stored_state> read_metastore();
    result<void> compare(const stored_state& state) const;
    result<void> compare(const stored_state& state, const cluster::cluster_record& record) const;
    async<bootstrap_result> create_cluster();
    async<bootstrap_result> join_existing(cluster::cluster_record record, stored_state state);
    result<void> save_cluster_id(const cluster::cluster_record& record) const;
    async<std::optional<std::string>> ledger_cluster();
    async<void> claim_ledger(cluster::cluster_record record);
    async<void> record_claim(std::string id);
    async<cluster::cluster_record> write_cluster(
        pki::authority authority, std::string id, people::user_record admin);
    result<std::string> read_cluster_id() const;  // empty: none yet
    result<pki::authority> find_authority(const cluster::cluster_record& record) const;
    result<std::string> first_password();
    result<people::user_record> first_admin();
    std::unexpected<error> directory_error(const error& failure) const;
    void undo_creation();  // when another server created the cluster first

    const os::data_directory& directory_;
    const certificate_files& keys_;
    metastore& metastore_;
    ledger& ledger_;
    muster::clock& clock_;
    cluster::engine last_engine_ = cluster::engine::metastore;
    bool created_authority_ = false;
    bool created_password_ = false;
};

inline constexpr auto first_password_file = "first-password";
inline constexpr auto first_user = "admin";

}  // namespace muster::bootstrap
