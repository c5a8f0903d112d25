#include "api/xmlrpc/xmlrpc_api.h"

namespace muster::xmlrpc_api {

compatible_api::compatible_api(dependencies deps)
    : methods_(deps.checks),
      served_(
          {.found = deps.fleet.found,
           .groups = deps.fleet.groups,
           .seen = deps.fleet.seen,
           .time = deps.time}),
      view_(deps.fleet, served_),
      actions_(
          {.natives = deps.checks,
           .view = view_,
           .time = deps.time,
           .with = deps.work,
           .base_channel =
               [&books = deps.software.books](system_number of) {
                   const auto has = books.subscription_of(of);
                   const auto base = has ? books.find<content::channel>(has->base) : nullptr;
                   return base ? base->name : std::string();
               }}),
      configuration_(
          {.view = view_,
           .actions = actions_.desk(),
           .numbers = deps.work.numbers,
           .places = deps.places,
           .time = deps.time,
           .with = deps.configuration}),
      software_(
          {.view = view_, .actions = actions_.desk(), .time = deps.time, .kept = deps.software}),
      chained_software_(
          {.view = software_.view(), .packages = software_.actions(), .chains = actions_.chains()}),
      chained_files_(
          {.view = view_,
           .kept = deps.configuration.kept,
           .deployed = configuration_.deployed(),
           .chains = actions_.chains(),
           .time = deps.time}),
      migrations_({.view = software_.view(), .actions = actions_.desk()}),
      overviews_(
          software_.view(),
          {.places = deps.places,
           .records = deps.configuration.kept.records,
           .numbers = deps.work.numbers,
           .time = deps.time}),
      labels_([&channels = deps.configuration.kept.channels](std::string group) {
          return channels.has_any(std::move(group));
      }),
      auth_(deps.time),
      api_(methods_),
      systems_({.view = view_, .keys = deps.keys, .numbers = deps.work.numbers, .time = deps.time}),
      searches_(view_),
      groups_(
          {.view = view_,
           .groups = deps.groups,
           .keys = deps.keys,
           .numbers = deps.work.numbers,
           .time = deps.time,
           .guard = labels_}),
      users_(
          {.places = deps.places,
           .records = deps.configuration.kept.records,
           .numbers = deps.work.numbers,
           .time = deps.time}),
      keys_(
          {.view = view_,
           .keys = deps.keys,
           .places = deps.places,
           .time = deps.time,
           .rules = deps.configuration.rules,
           .profiles = deps.configuration.kept.profiles}),
      door_(deps.desk, deps.time),
      calls_(methods_, door_),
      further_(
          {.calls = calls_,
           .places = deps.places,
           .served = served_,
           .time = deps.time,
           .asking = deps.asking}),
      hub_(auth_, further_, deps.places),
      in_xml_(calls_, further_),
      in_json_(methods_, door_) {}

result<void> compatible_api::add_routes(net::http::router& to) {
    CHECK_OK(auth_.declare(methods_));
    CHECK_OK(api_.declare(methods_));
    CHECK_OK(systems_.declare(methods_));
    CHECK_OK(searches_.declare(methods_));
    CHECK_OK(groups_.declare(methods_));
    CHECK_OK(users_.declare(methods_));
    CHECK_OK(actions_.declare(methods_));
    CHECK_OK(configuration_.declare(methods_));
    CHECK_OK(software_.declare(methods_));
    CHECK_OK(chained_software_.declare(methods_));
    CHECK_OK(chained_files_.declare(methods_));
    CHECK_OK(migrations_.declare(methods_));
    CHECK_OK(overviews_.declare(methods_));
    CHECK_OK(keys_.declare(methods_));
    CHECK_OK(hub_.declare(methods_));
    CHECK_OK(in_xml_.add_routes(to));
    return in_json_.add_routes(to);
}

}  // namespace muster::xmlrpc_api
