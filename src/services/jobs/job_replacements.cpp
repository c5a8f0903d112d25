#include "services/jobs/job_replacements.h"

#include <utility>

namespace muster::jobs {

async<std::vector<job_record>> successors(job_store& records, std::vector<job_id> of) {
    std::vector<job_record> last;
    for (std::size_t at = 0; at < of.size(); ++at) {
        if (at == lineage_max)
            co_return fail(errc::conflict, "it waits for jobs that went on as more than 1000");
        CO_TRY(auto match, co_await records.find(of[at]));
        const auto& next = match.record.spec.replaced_by;
        of.insert(of.end(), next.begin(), next.end());
        if (next.empty()) last.push_back(std::move(match.record));
    }
    co_return last;
}

async<bool> all_stand(job_store& records, job_spec job_spec) {
    for (const auto sibling : job_spec.siblings) {
        const auto match = co_await records.find(sibling);
        if (!match && match.error().code() == errc::not_found) co_return false;
        if (!match) co_return fail(match.error());
        // One that was let go already keeps nothing but whose place it takes.
        const auto& spec = match->record.spec;
        if (spec.replaces != job_spec.replaces) co_return false;
        if (!spec.siblings.empty() && spec.siblings != job_spec.siblings) co_return false;
    }
    co_return true;
}

}  // namespace muster::jobs
