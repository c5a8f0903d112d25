#include "api/xmlrpc/methods/configuration_methods.h"

#include <algorithm>

namespace muster::xmlrpc_api {

configuration_methods::configuration_methods(const surroundings& around)
    : view_(around.view),
      deployed_(
          {.channels = around.with.kept.channels,
           .files = around.with.kept.files,
           .profiles = around.with.kept.profiles,
           .members_of = [this](const std::string& group) { return members_of(group); },
           .has_label =
               [this](system_number system, const std::string& group) {
                   return has_label(system, group);
               }}),
      channels_({.view = around.view, .kept = around.with.kept, .time = around.time}),
      systems_(
          {.view = around.view,
           .kept = around.with.kept,
           .deployed = deployed_,
           .time = around.time}),
      deploy_(
          {.view = around.view,
           .kept = around.with.kept,
           .deployed = deployed_,
           .actions = around.actions,
           .time = around.time}),
      values_({.view = around.view, .kept = around.with.kept, .time = around.time}),
      profiles_({.view = around.view, .kept = around.with.kept, .time = around.time}),
      keys_(
          {.view = around.view,
           .kept = around.with.kept,
           .rules = around.with.rules,
           .numbers = around.numbers,
           .time = around.time}),
      hardware_(around.view),
      organisations_(
          {.view = around.view,
           .kept = around.with.kept,
           .rules = around.with.rules,
           .places = around.places,
           .numbers = around.numbers,
           .time = around.time}),
      people_(
          {.view = around.view,
           .kept = around.with.kept,
           .numbers = around.numbers,
           .time = around.time}),
      roles_(around.time),
      formulas_(
          {.view = around.view,
           .kept = around.with.kept,
           .numbers = around.numbers,
           .time = around.time}) {}

result<fleet::system_set> configuration_methods::members_of(const std::string& group) const {
    TRY(const auto wanted, view_.around().groups.parse("group:" + group));
    return view_.around().found.resolve(wanted, {});
}

bool configuration_methods::has_label(system_number system, const std::string& group) const {
    const auto record = view_.around().known.find(system);
    return record && std::ranges::find(record->groups, group) != record->groups.end();
}

result<void> configuration_methods::declare(method_book& to) {
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
