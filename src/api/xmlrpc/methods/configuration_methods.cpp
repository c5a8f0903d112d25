#include "api/xmlrpc/methods/configuration_methods.h"

#include <algorithm>

namespace muster::xmlrpc_api {

configuration_methods::configuration_methods(const dependencies& deps)
    : view_(deps.view),
      deployed_(
          {.channels = deps.with.kept.channels,
           .files = deps.with.kept.files,
           .profiles = deps.with.kept.profiles,
           .members_of = [this](const std::string& group) { return members_of(group); },
           .has_label =
               [this](system_number system, const std::string& group) {
                   return has_label(system, group);
               }}),
      channels_({.view = deps.view, .kept = deps.with.kept, .time = deps.time}),
      systems_(
          {.view = deps.view, .kept = deps.with.kept, .deployed = deployed_, .time = deps.time}),
      deploy_(
          {.view = deps.view,
           .kept = deps.with.kept,
           .deployed = deployed_,
           .actions = deps.actions,
           .time = deps.time}),
      values_({.view = deps.view, .kept = deps.with.kept, .time = deps.time}),
      profiles_({.view = deps.view, .kept = deps.with.kept, .time = deps.time}),
      keys_(
          {.view = deps.view,
           .kept = deps.with.kept,
           .rules = deps.with.rules,
           .numbers = deps.numbers,
           .time = deps.time}),
      hardware_(deps.view),
      organisations_(
          {.view = deps.view,
           .kept = deps.with.kept,
           .rules = deps.with.rules,
           .places = deps.places,
           .numbers = deps.numbers,
           .time = deps.time}),
      people_(
          {.view = deps.view, .kept = deps.with.kept, .numbers = deps.numbers, .time = deps.time}),
      roles_(deps.time),
      formulas_(
          {.view = deps.view, .kept = deps.with.kept, .numbers = deps.numbers, .time = deps.time}) {
}

result<fleet::system_set> configuration_methods::members_of(const std::string& group) const {
    TRY(const auto desired, view_.around().groups.parse("group:" + group));
    return view_.around().found.resolve(desired, {});
}

bool configuration_methods::has_label(system_number system, const std::string& group) const {
    const auto record = view_.around().known.find(system);
    return record && std::ranges::find(record->groups, group) != record->groups.end();
}

result<void> configuration_methods::declare(method_registry& to) {
    CHECK_OK(channels_.declare(to));
    CHECK_OK(systems_.declare(to));
    CHECK_OK(deploy_.declare(to));
    CHECK_OK(values_.declare(to));
    CHECK_OK(profiles_.declare(to));
    CHECK_OK(keys_.declare(to));
    CHECK_OK(hardware_.declare(to));
    CHECK_OK(organisations_.declare(to));
    CHECK_OK(people_.declare(to));
    CHECK_OK(roles_.declare(to));
    return formulas_.declare(to);
}

}  // namespace muster::xmlrpc_api
