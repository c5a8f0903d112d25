#include "api/rest/state_json.h"

#include "base/iso_time.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::api {

std::string state_json(const cluster::readiness::report& state, reasons how) {
    boost::json::object engines;
    for (const auto each : cluster::all_engines) {
        const auto& known = state.of(each);
        boost::json::object told{{"state", known.reachable ? "answers" : "does not answer"}};
        if (known.since != wall_time()) told.emplace("since", iso_time(known.since));
        if (how == reasons::told && !known.reachable) told.emplace("detail", known.detail);
        engines.emplace(boost::json::string_view(to_string(each)), std::move(told));
    }
    return boost::json::serialize(boost::json::object{
        {"ready", state.ready()},
        {"stage", boost::json::string_view(to_string(state.now))},
        {"member", state.member},
        {"engines", std::move(engines)}});
}

}  // namespace muster::api
