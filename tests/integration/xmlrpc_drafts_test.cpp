// Channels as common data: edited over the compatible API by Python's own client, within an editing
// session and without.

#include "tests/harness/process.h"
#include "tests/integration/xmlrpc_client_fixture.h"

namespace muster::integration {
namespace {

constexpr const char* beginning = R"(
software = server.channel.software
def make(through, label):
    return through.channel.software.create(
        key, label, label + " by name", "", "channel-x86_64", "")
def labels():
    return [each["label"] for each in server.channel.listSoftwareChannels(key)]
)";

TEST_CASE("a channel that is made in a draft is there once it is applied, and in the revision") {
    xmlrpc_client_fixture here;
    const auto& server = here.server;
    here.key = here.python("print(server.auth.login('admin', password))\n");
    const auto newest = [&] {
        const auto response = server.cli({"revisions", "list", "-o", "json"});
        json::error_code failure;
        const auto all = json::parse(response.output, failure);
        if (failure || all.as_array().empty()) return std::int64_t{0};
        return all.as_array().front().at("number").as_int64();
    };
    harness::eventually(
        "there is a first revision", [&] { return newest() == 1; }, std::chrono::seconds(20));

    // Without a session it is done at once, and published a moment later.
    here.python(beginning + std::string(R"(
assert make(server, "direct") == 1
assert labels() == ["direct"], labels()
)"));
    harness::eventually(
        "the channel is published", [&] { return newest() == 2; }, std::chrono::seconds(20));
    CHECK(server.cli({"revisions", "diff", "2"}).output.contains("direct"));

    const auto began = server.cli({"revisions", "edit", "begin"});
    REQUIRE_MESSAGE(began.exit_code == 0, began.output);
    const auto edit = began.output.substr(0, began.output.find('\n'));
    here.python(beginning + ("edit = '" + edit + "'\n") + R"(
editing = xmlrpc.client.ServerProxy(url, context=trusted, headers=[("Muster-Edit", edit)])
told = make(editing, "drafted")
assert told["edit"] == edit and told["change"]["section"] == "channels", told
editing.channel.software.createRepo(key, "repo", "yum", "https://repo.example/shop")
editing.channel.software.associateRepo(key, "drafted", "repo")
editing.system.custominfo.createKey(key, "rack", "where it stands")
editing.configchannel.create(key, "base", "Base", "for all")
assert labels() == ["direct"], labels()
refused = fault(make, server, "beside")
assert "admin since" in refused.faultString, refused
# What a channel holds is no common data.
assert "has no repository" in fault(software.syncRepo, key, "direct").faultString
)");

    const auto applied = server.cli({"revisions", "edit", "apply"});
    CHECK_MESSAGE(applied.exit_code == 0, applied.output);
    here.python(beginning + std::string(R"(
assert sorted(labels()) == ["direct", "drafted"], labels()
assert software.listChannelRepos(key, "drafted")[0]["sourceUrl"] == "https://repo.example/shop"
assert [each["label"] for each in server.system.custominfo.listAllKeys(key)] == ["rack"]
assert [each["label"] for each in server.configchannel.listGlobals(key)] == ["base"]
)"));
    CHECK(newest() == 3);
    const auto differs = server.cli({"revisions", "diff", "3", "-o", "json"}).output;
    for (const char* const each :
         {"channels",
          "drafted",
          "repositories",
          "repo.example",
          "custom-keys",
          "rack",
          "config-channels",
          "base"})
        CHECK_MESSAGE(differs.contains(each), differs);
    // A server reports its digests at most once a second.
    harness::eventually("the server reports the new revision", [&] {
        return server.cli({"revisions", "nodes", "-o", "json"}).output.contains("current");
    });
}

}  // namespace
}  // namespace muster::integration
