#pragma once

#include "ports/clock.h"
#include "ports/metastore.h"
#include "runtime/log.h"
#include "services/jobs/quota_record.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::jobs {

template <class Record>
struct versioned {
    Record record;
    kv::revision revision;  // of its last write
};

// Quota records of one limited job in the metastore.
struct job_quota {
    std::optional<versioned<plan_record>> plan;
    std::map<std::string, versioned<rollout::grant>> grants;  // by node
    std::map<std::string, rollout::share_report> reports;
    std::set<std::string> unreadable;  // keys of unreadable records

    bool empty() const { return !plan && grants.empty() && reports.empty() && unreadable.empty(); }
    std::vector<std::string> keys(job_id job) const;
};

// Holds the quota records under one prefix: reads all of them once, then follows each revision. A
// cached plan key is never newer than the cached grants. So a plan that requires the cached plan
// key cannot rest on grants that another plan has changed. Sends no requests while nothing changes.
// Not thread-safe; call from one strand.
class quota_cache {
public:
    quota_cache(
        muster::metastore& metastore,
        muster::clock& clock,
        runtime::logger& log,
        std::string prefix)
        : metastore_(metastore), clock_(clock), log_(log), prefix_(std::move(prefix)) {}
    quota_cache(const quota_cache&) = delete;
    quota_cache& operator=(const quota_cache&) = delete;

    // Waits for changes until `timeout` and returns the changed jobs. The first call, and the first
    // call after a failure, reads all records.
    async<std::set<job_id>> follow(monotonic::duration timeout);
    // Makes the next follow() read all records.
    void reset() { watch_.reset(); }

    const std::map<job_id, job_quota>& jobs() const { return jobs_; }
    const job_quota* find(job_id job) const;
    kv::revision revision() const { return revision_; }

private:
    async<std::set<job_id>> read_all();
    async<kv::revision> read_under(std::string prefix, std::vector<kv::entry>* entries);
    std::optional<job_id> apply(const kv::entry& entry);
    std::optional<job_id> erase(const std::string& key);
    // Notes in the quota whether the entry could be decoded.
    template <class Record>
    bool check_readable(job_quota& quota, const kv::entry& entry, const result<Record>& record);

    metastore& metastore_;
    muster::clock& clock_;
    runtime::logger& log_;
    std::string prefix_;
    std::unique_ptr<metastore_watch> watch_;
    std::map<job_id, job_quota> jobs_;
    kv::revision revision_;
};

}  // namespace muster::jobs
