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

// Finds out which cluster this server belongs to, or founds one when there is none.
//
// Data directory, metastore and ledger must agree on the cluster; if they do not, nothing is
// changed and the error says which is which. A crash at any point is made good by the next start:
// the metastore's record decides whether the cluster exists, `cluster-id` in the data directory is
// written last. A cluster that has had a ledger takes no empty one in its place: who was deleted
// would be forgotten.
class cluster_bootstrap {
public:
    struct bootstrap_result {
        cluster::cluster_record record;
        pki::authority authority;
        bool is_new = false;
    };

    cluster_bootstrap(
        const os::data_directory& where,
        const certificate_files& keys,
        muster::metastore& metastore,
        muster::ledger& ledger,
        muster::clock& clock)
        : where_(where), keys_(keys), metastore_(metastore), ledger_(ledger), clock_(clock) {}

    enum class ca_source { is_here, by_joining };

    // Whether they agree, before the ledger is migrated: it may be another cluster's. Changes
    // nothing. Errors as of run().
    async<void> check(ca_source how);

    // On a ledger that is migrated. errc::unavailable and timed_out: an engine is away, try again.
    // Other errors are final.
    async<bootstrap_result> run();

    // The engine that was asked last, so that one that is away can be named.
    cluster::engine asked() const { return asked_; }

private:
    // What each of the three says, before anything is changed.
    struct findings {
        std::string own;  // empty: none yet
        std::optional<cluster::cluster_record> record;
        bool had_ledger = false;  // the metastore says so
        std::optional<std::string> in_ledger;
    };

    async<findings> ask_metastore();
    result<void> compare(const findings& findings) const;
    result<void> compare(const findings& findings, const cluster::cluster_record& record) const;
    async<bootstrap_result> found_new();
    async<bootstrap_result> enter(cluster::cluster_record record, findings findings);
    result<void> remember(const cluster::cluster_record& record) const;
    async<std::optional<std::string>> ledger_cluster();
    async<void> claim_ledger(cluster::cluster_record record);
    async<void> mark_claim(std::string id);
    async<cluster::cluster_record> found(
        pki::authority authority, std::string id, people::user_record admin);
    result<std::string> own_cluster() const;  // empty: none yet
    result<pki::authority> authority_of(const cluster::cluster_record& record) const;
    result<std::string> first_password();
    result<people::user_record> first_admin();
    std::unexpected<error> unusable(const error& failure) const;  // the data directory
    void undo();  // takes back what this run made for a cluster that another one founded first

    const os::data_directory& where_;
    const certificate_files& keys_;
    metastore& metastore_;
    ledger& ledger_;
    muster::clock& clock_;
    cluster::engine asked_ = cluster::engine::metastore;
    bool made_authority_ = false;
    bool made_password_ = false;
};

inline constexpr auto first_password_file = "first-password";
inline constexpr auto first_user = "admin";

}  // namespace muster::bootstrap
