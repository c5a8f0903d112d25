#include "api/xmlrpc/compatible_api.h"

namespace muster::xmlrpc_api {

compatible_api::compatible_api(surroundings around)
    : methods_(around.checks),
      served_(
          {.found = around.fleet.found,
           .groups = around.fleet.groups,
           .seen = around.fleet.seen,
           .time = around.time}),
      view_(around.fleet, served_),
      actions_(
          {.natives = around.checks,
           .view = view_,
           .time = around.time,
           .with = around.work,
           .base_channel =
               [&books = around.software.books](system_number of) {
                   const auto has = books.subscription_of(of);
                   const auto base = has ? books.find<content::channel>(has->base) : nullptr;
                   return base ? base->name : std::string();
               }}),
      configuration_(
          {.view = view_,
           .actions = actions_.desk(),
           .numbers = around.work.numbers,
           .places = around.places,
           .time = around.time,
           .with = around.configuration}),
      software_(
          {.view = view_,
           .actions = actions_.desk(),
           .time = around.time,
           .kept = around.software}),
      chained_software_(
          {.view = software_.view(), .packages = software_.actions(), .chains = actions_.chains()}),
      chained_files_(
          {.view = view_,
           .kept = around.configuration.kept,
           .deployed = configuration_.deployed(),
           .chains = actions_.chains(),
           .time = around.time}),
      migrations_({.view = software_.view(), .actions = actions_.desk()}),
      overviews_(
          software_.view(),
          {.places = around.places,
           .records = around.configuration.kept.records,
           .numbers = around.work.numbers,
           .time = around.time}),
      labels_([&channels = around.configuration.kept.channels](std::string group) {
          return channels.has_any(std::move(group));
      }),
      auth_(around.time),
      api_(methods_),
      systems_(
          {.view = view_,
           .keys = around.keys,
           .numbers = around.work.numbers,
           .time = around.time}),
      searches_(view_),
      groups_(
          {.view = view_,
           .groups = around.groups,
           .keys = around.keys,
           .numbers = around.work.numbers,
           .time = around.time,
           .guard = labels_}),
      users_(
          {.places = around.places,
           .records = around.configuration.kept.records,
           .numbers = around.work.numbers,
           .time = around.time}),
      keys_(
          {.view = view_,
           .keys = around.keys,
           .places = around.places,
           .time = around.time,
           .rules = around.configuration.rules,
           .profiles = around.configuration.kept.profiles}),
      door_(around.desk, around.time),
      calls_(methods_, door_),
      further_(
          {.calls = calls_,
           .places = around.places,
           .served = served_,
           .time = around.time,
           .asking = around.asking}),
      hub_(auth_, further_, around.places),
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
