#include "api/operations/group_label_policy.h"

#include "ports/deadline.h"

#include <fmt/format.h>

#include <utility>

namespace muster::api {

access::extent looks_at(const call& call) {
    const bool everywhere = call.who().may.everywhere(access::right::fleet_read);
    return everywhere ? access::extent::cluster : access::extent::zones;
}

async<void> group_guard::check(call call, std::vector<std::string> groups) const {
    const auto from = looks_at(call);
    for (const auto& group : groups) {
        if (access::may_label(from, access::group_content::channels)) break;
        CO_TRY(const bool leads, co_await channels_.has_any(group));
        const auto with = leads ? access::group_content::channels : access::group_content::none;
        if (access::may_label(from, with)) continue;
        co_return fail(
            errc::denied,
            fmt::format(
                "the group {} has configuration channels: putting systems into it needs the right "
                "fleet.read in the whole cluster",
                group));
    }
    co_return result<void>();
}

}  // namespace muster::api
