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
struct dated {
    Record what;
    kv::revision at;  // when it was last written
};

// What the metastore has of one limited job.
struct job_quota {
    std::optional<dated<plan_record>> plan;
    std::map<std::string, dated<rollout::grant>> grants;  // by node
    std::map<std::string, rollout::share_report> reports;
    std::set<std::string> unreadable;  // keys of records that are not understood

    bool empty() const { return !plan && grants.empty() && reports.empty() && unreadable.empty(); }
    std::vector<std::string> keys(job_id job) const;
};

// The records of limited jobs under one prefix: read once, then followed revision by revision. A
// plan key is never newer than the grants beside it, so what is planned by this book, and requires
// the plan key it has, rests on nothing that another plan has changed. While nothing changes it
// costs the metastore nothing. Lives on one strand.
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

    // Waits for changes, `timeout` at most; gives the jobs that were touched. After a failure, and
    // the first time, everything is read.
    async<std::set<job_id>> follow(monotonic::duration timeout);
    // Reads everything again the next time.
    void forget() { watch_.reset(); }

    const std::map<job_id, job_quota>& jobs() const { return jobs_; }
    const job_quota* find(job_id job) const;
    kv::revision at() const { return at_; }

private:
    async<std::set<job_id>> read_all();
    async<kv::revision> read_under(std::string prefix, std::vector<kv::entry>* into);
    std::optional<job_id> apply(const kv::entry& now);
    std::optional<job_id> erase(const std::string& key);
    template <class Record>
    bool readable(job_quota& of, const kv::entry& from, const result<Record>& read);

    metastore& metastore_;
    muster::clock& clock_;
    runtime::logger& log_;
    std::string prefix_;
    std::unique_ptr<metastore_watch> watch_;
    std::map<job_id, job_quota> jobs_;
    kv::revision at_;
};

}  // namespace muster::jobs
