#include "api/rest/state_json.h"

#include "base/iso_time.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::api {

std::string state_json(const cluster::readiness::report& state, engine_details details) {
    boost::json::object engines;
    for (const auto engine : cluster::all_engines) {
        const auto& engine_state = state.state_of(engine);
        boost::json::object engine_json{
            {"state", engine_state.reachable ? "answers" : "does not answer"}};
        if (engine_state.since != wall_time())
            engine_json.emplace("since", iso_time(engine_state.since));
        if (details == engine_details::shown && !engine_state.reachable)
            engine_json.emplace("detail", engine_state.detail);
        engines.emplace(boost::json::string_view(to_string(engine)), std::move(engine_json));
    }
    return boost::json::serialize(boost::json::object{
        {"ready", state.is_ready()},
        {"stage", boost::json::string_view(to_string(state.stage))},
        {"member", state.member},
        {"engines", std::move(engines)}});
}

}  // namespace muster::api
