#include "apps/muster/cli/client.h"
#include "apps/muster/cli/command_line.h"
#include "apps/muster/cli/output.h"

#include <boost/json.hpp>
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace muster::cli {
namespace {

struct nodes_flags {
    client_flags client;
    output_format format = output_format::table;
};

exit_code list_nodes(const nodes_flags& flags) {
    const auto answered = call_api(context_of(flags.client), {.path = "/api/v1/nodes"});
    if (!answered) {
        fmt::print(stderr, "muster nodes: {}\n", answered.error().sentence);
        return answered.error().code;
    }
    const auto* members = answered->if_object();
    const auto* items = members == nullptr ? nullptr : members->if_contains("items");
    const auto listed = items == nullptr ? boost::json::value(boost::json::array()) : *items;
    fmt::print(
        "{}", render(listed, flags.format, {"name", "address", "roles", "version", "started"}));
    return exit_code::well;
}

}  // namespace

void add_nodes(CLI::App& root, action& chosen) {
    auto* listing = root.add_subcommand("nodes", "List the servers of the cluster");
    const auto flags = std::make_shared<nodes_flags>();
    add_client_flags(*listing, flags->client);
    add_output_flag(*listing, flags->format);
    listing->footer("Examples:\n  muster nodes\n  muster nodes -o json\n");
    listing->callback([&chosen, flags] {
        chosen = [flags] {
            return list_nodes(*flags);
        };
    });
}

}  // namespace muster::cli
