#include "api/rest/revision_content_reader.h"

#include "api/operations/api_context.h"
#include "ports/deadline.h"

#include <utility>

namespace muster::api {

async<revision::sections> revision_content_reader::read(revision::revision_record record) const {
    revision::sections sections;
    for (const auto& [name, digest] : record.sections) {
        auto content = co_await revisions_.content(digest);
        const bool too_large = !content && content.error().code() == errc::not_found;
        if (!content && !too_large) co_return fail(content.error());
        if (content) sections.emplace(name, *std::move(content));
    }
    co_return sections;
}

async<revision_content_reader::change> revision_content_reader::read_change(
    std::int64_t base, std::int64_t target) const {
    change result;
    auto pending_lookup = revisions_.find(target);
    CO_TRY(
        const auto target_revision,
        co_await within(clock_, engine_timeout, std::move(pending_lookup)));
    if (base > 0) {
        auto base_lookup = revisions_.find(base);
        CO_TRY(
            const auto base_revision,
            co_await within(clock_, engine_timeout, std::move(base_lookup)));
        auto pending_base = read(base_revision.record);
        CO_TRY(result.before, co_await within(clock_, engine_timeout, std::move(pending_base)));
    }
    auto pending_target = read(target_revision.record);
    CO_TRY(result.after, co_await within(clock_, engine_timeout, std::move(pending_target)));
    co_return result;
}

}  // namespace muster::api
