#include "services/jobs/job_replacements.h"

#include <utility>

namespace muster::jobs {

async<std::vector<job_record>> find_successors(job_store& jobs, std::vector<job_id> job_ids) {
    std::vector<job_record> successors;
    for (std::size_t index = 0; index < job_ids.size(); ++index) {
        if (index == lineage_max)
            co_return fail(errc::conflict, "parent jobs have more than 1000 replacements");
        CO_TRY(auto job, co_await jobs.find(job_ids[index]));
        const auto& next = job.record.spec.replaced_by;
        job_ids.insert(job_ids.end(), next.begin(), next.end());
        if (next.empty()) successors.push_back(std::move(job.record));
    }
    co_return successors;
}

async<bool> has_all_siblings(job_store& jobs, job_spec spec) {
    for (const auto sibling : spec.siblings) {
        const auto stored = co_await jobs.find(sibling);
        if (!stored && stored.error().code() == errc::not_found) co_return false;
        if (!stored) co_return fail(stored.error());
        // A sibling that was released already keeps `replaces` only.
        const auto& other = stored->record.spec;
        if (other.replaces != spec.replaces) co_return false;
        if (!other.siblings.empty() && other.siblings != spec.siblings) co_return false;
    }
    co_return true;
}

}  // namespace muster::jobs
