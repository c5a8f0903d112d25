// Declares configchannel.*; config_channel_methods.cpp implements it.

#include "api/xmlrpc/methods/config_channel_methods.h"

#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;

constexpr std::int64_t paths_max = 1'000;

parameter label() {
    return argument("label", name());
}

parameter path(const char* name = "path") {
    return argument(name, text());
}

// Contents may be meant for few systems; other callers use system.config.lookupFileInfo.
operation cluster_wide(operation operation) {
    operation.within = scope::cluster;
    return operation;
}

parameter paths() {
    return argument("paths", list_of(text(), paths_max));
}

}  // namespace

result<void> config_channel_methods::declare_channels(method_registry& registry) {
    using self = config_channel_methods;
    const auto faults = config_faults();
    CHECK_OK(registry.add(
        {read_method(
             "configchannel.listGlobals",
             "List configuration channels",
             {},
             list_of(channel_shape())),
         handler(this, &self::list)}));
    auto details = read_method(
        "configchannel.getDetails", "Get a configuration channel", {label()}, channel_shape());
    CHECK_OK(registry.add({details, handler(this, &self::get_details)}));
    details.takes = {argument("id", integer(1, INT32_MAX))};
    CHECK_OK(registry.add({std::move(details), handler(this, &self::get_details)}));
    auto exists = read_method(
        "configchannel.channelExists",
        "Check whether a configuration channel exists",
        {label()},
        integer(0));
    CHECK_OK(registry.add({std::move(exists), handler(this, &self::exists)}));
    auto create = change_method(
        "configchannel.create",
        "Create a configuration channel",
        {label(), argument("name", text()), argument("description", text())},
        right::common_edit,
        channel_shape());
    CHECK_OK(registry.add({create, handler(this, &self::create), faults}));
    create.takes.push_back(argument("type", text().with_choices({"normal", "state"})));
    CHECK_OK(registry.add({create, handler(this, &self::create), faults}));
    create.takes.push_back(argument("pathInfo", struct_shape()));
    CHECK_OK(registry.add({std::move(create), handler(this, &self::create), faults}));
    CHECK_OK(registry.add(
        {change_method(
             "configchannel.update",
             "Update a configuration channel",
             {label(), argument("name", text()), argument("description", text())},
             right::common_edit,
             channel_shape()),
         handler(this, &self::update),
         faults}));
    CHECK_OK(registry.add(
        {change_method(
             "configchannel.deleteChannels",
             "Delete configuration channels and their files",
             {labels_parameter("labels")},
             right::common_edit),
         handler(this, &self::remove),
         faults}));
    CHECK_OK(registry.add(
        {read_method(
             "configchannel.listSubscribedSystems",
             "List the systems subscribed to a channel directly or by a group",
             {label()},
             list_of(anything())),
         handler(this, &self::list_systems)}));
    return registry.add(
        {read_method(
             "configchannel.listAssignedSystemGroups",
             "List the groups assigned to a channel",
             {label()},
             list_of(anything())),
         handler(this, &self::list_groups)});
}

result<void> config_channel_methods::declare_files(method_registry& registry) {
    using self = config_channel_methods;
    const auto faults = config_faults();
    CHECK_OK(registry.add(
        {read_method(
             "configchannel.listFiles",
             "List the files of a channel",
             {label()},
             list_of(file_shape())),
         handler(this, &self::list_files)}));
    CHECK_OK(registry.add(
        {change_method(
             "configchannel.createOrUpdatePath",
             "Create or update a file or directory",
             {label(),
              path(),
              argument("isDir", flag_or_number()),
              argument("pathInfo", struct_shape())},
             right::common_edit,
             revision_shape()),
         handler(this, &self::put_path),
         faults}));
    CHECK_OK(registry.add(
        {change_method(
             "configchannel.createOrUpdateSymlink",
             "Create or update a symbolic link",
             {label(), path(), argument("pathInfo", struct_shape())},
             right::common_edit,
             revision_shape()),
         handler(this, &self::put_link),
         faults}));
    CHECK_OK(registry.add(
        {change_method(
             "configchannel.updateInitSls",
             "Update the init.sls of a state channel",
             {label(), argument("pathInfo", struct_shape())},
             right::common_edit,
             revision_shape()),
         handler(this, &self::put_sls),
         faults}));
    CHECK_OK(registry.add(
        {cluster_wide(read_method(
             "configchannel.lookupFileInfo",
             "Get files with their contents",
             {label(), paths()},
             list_of(revision_shape()))),
         handler(this, &self::look_up_files)}));
    CHECK_OK(registry.add(
        {cluster_wide(read_method(
             "configchannel.lookupFileInfo",
             "Get a revision of a file",
             {label(), path(), argument("revision", integer(1, INT32_MAX))},
             revision_shape())),
         handler(this, &self::look_up_file)}));
    CHECK_OK(registry.add(
        {cluster_wide(read_method(
             "configchannel.getEncodedFileRevision",
             "Get a revision of a file in Base64",
             {label(), path("filePath"), argument("revision", integer(1, INT32_MAX))},
             revision_shape())),
         handler(this, &self::get_encoded)}));
    CHECK_OK(registry.add(
        {cluster_wide(read_method(
             "configchannel.getFileRevisions",
             "List the revisions of a file",
             {label(), path("filePath")},
             list_of(revision_shape()))),
         handler(this, &self::list_revisions)}));
    return registry.add(
        {change_method(
             "configchannel.deleteFiles",
             "Delete files from a channel",
             {label(), paths()},
             right::common_edit),
         handler(this, &self::remove_files),
         faults});
}

result<void> config_channel_methods::declare(method_registry& registry) {
    CHECK_OK(declare_channels(registry));
    return declare_files(registry);
}

}  // namespace muster::xmlrpc_api
