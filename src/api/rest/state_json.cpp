#include "api/rest/state_json.h"

#include "base/iso_time.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::api {

std::string state_json(const cluster::readiness::report& state, reasons how) {
    boost::json::object engines;
    for (const auto all_engine : cluster::all_engines) {
        const auto& existing = state.of(all_engine);
        boost::json::object response{{"state", existing.reachable ? "answers" : "does not answer"}};
        if (existing.since != wall_time()) response.emplace("since", iso_time(existing.since));
        if (how == reasons::told && !existing.reachable)
            response.emplace("detail", existing.detail);
        engines.emplace(boost::json::string_view(to_string(all_engine)), std::move(response));
    }
    return boost::json::serialize(boost::json::object{
        {"ready", state.ready()},
        {"stage", boost::json::string_view(to_string(state.now))},
        {"member", state.member},
        {"engines", std::move(engines)}});
}

}  // namespace muster::api
