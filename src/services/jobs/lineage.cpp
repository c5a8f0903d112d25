#include "services/jobs/lineage.h"

#include <utility>

namespace muster::jobs {

async<std::vector<job_record>> successors(job_ledger& records, std::vector<job_id> of) {
    std::vector<job_record> last;
    for (std::size_t at = 0; at < of.size(); ++at) {
        if (at == lineage_max)
            co_return fail(errc::conflict, "it waits for jobs that went on as more than 1000");
        CO_TRY(auto found, co_await records.find(of[at]));
        const auto& next = found.record.spec.replaced_by;
        of.insert(of.end(), next.begin(), next.end());
        if (next.empty()) last.push_back(std::move(found.record));
    }
    co_return last;
}

async<bool> all_stand(job_ledger& records, job_spec asked) {
    for (const auto each : asked.siblings) {
        const auto found = co_await records.find(each);
        if (!found && found.error().code() == errc::not_found) co_return false;
        if (!found) co_return fail(found.error());
        // One that was let go already keeps nothing but whose place it takes.
        const auto& spec = found->record.spec;
        if (spec.replaces != asked.replaces) co_return false;
        if (!spec.siblings.empty() && spec.siblings != asked.siblings) co_return false;
    }
    co_return true;
}

}  // namespace muster::jobs
