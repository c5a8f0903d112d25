#include "roles/compat/configuration_methods.h"

namespace muster::compat {

configuration_methods::configuration_methods(const surroundings& around)
    : view_(around.view),
      kept_(around.with.kept),
      deployed_(
          {.channels = around.with.kept.channels,
           .files = around.with.kept.files,
           .profiles = around.with.kept.profiles,
           .groups_of =
               [this](system_number system) {
                   return groups_of(system);
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

// Those that have channels: the others are no matter here.
std::vector<std::string> configuration_methods::groups_of(system_number system) const {
    std::vector<std::string> made;
    const auto record = view_.around().known.find(system);
    if (!record) return made;
    const auto with_channels = kept_.records.of(config::kinds::group);
    for (const auto& [group, each] : *with_channels) {
        const auto within = view_.is_in_group(*record, group);
        if (within && *within) made.push_back(group);
    }
    return made;
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

}  // namespace muster::compat
