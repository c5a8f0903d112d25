#include "api/xmlrpc/calls/call_body.h"

#include "adapters/net/gzip/gzip_codec.h"
#include "tests/fixtures/api/xmlrpc_fixture.h"

#include <doctest/doctest.h>

namespace muster::xmlrpc_api {
namespace {

using namespace test;

std::string call_with(const std::string& key, std::size_t bytes) {
    return "<?xml version=\"1.0\"?><methodCall><methodName>system.searchByName</methodName><params>"
           "<param><value>"
           + key + "</value></param><param><value><string>" + std::string(bytes, 'a')
           + "</string></value></param></params></methodCall>";
}

std::string packed(const std::string& call) {
    net::gzip::gzip_encoder encoder;
    auto result = encoder.encode(call);
    result += encoder.finish();
    return result;
}

TEST_CASE("the key stands where clients write it, with its type or without") {
    CHECK(find_session_key("<params><param><value>1xab</value>") == "1xab");
    CHECK(
        find_session_key("<param>\n <value> <string>1xab</string></value></param><param>")
        == "1xab");
    CHECK(find_session_key("<param><value><i4>7</i4></value></param>").empty());
    CHECK(find_session_key("<param><value>" + std::string(100'000, 'k')).empty());
    CHECK(find_session_key("").empty());
}

TEST_CASE("a stranger's call is read so far and no further, and one of somebody known is whole") {
    xmlrpc_fixture fixture;
    const auto key = fixture.log_in();

    const auto strangers =
        fixture.send(call_with("1x" + std::string(64, '0'), anonymous_bytes_max));
    const auto existing = fixture.send(call_with(key, anonymous_bytes_max));
    const auto small = fixture.send(call_with("1x" + std::string(64, '0'), 100));

    CHECK(strangers.body.contains("fault"));
    CHECK(strangers.body.contains("64 KiB"));
    CHECK_FALSE(existing.body.contains("64 KiB"));
    CHECK(small.body.contains("Could not find session"));
    CHECK_FALSE(small.body.contains("64 KiB"));
}

TEST_CASE("a call that is packed is read as it is unpacked, with the same bounds") {
    xmlrpc_fixture fixture;
    const auto key = fixture.log_in();
    const wish wish{.fields = {{"Content-Encoding", "gzip"}}};
    const auto strangers = call_with("1x" + std::string(64, '0'), std::size_t{16} * 1024 * 1024);

    const auto existing = fixture.send(packed(call_with(key, anonymous_bytes_max)), wish);
    CHECK(existing.body == fixture.send(call_with(key, anonymous_bytes_max)).body);
    CHECK_FALSE(existing.body.contains("64 KiB"));
    CHECK(
        fixture.send(packed(call_with(key, 10)), wish).body
        == fixture.send(call_with(key, 10)).body);
    CHECK(fixture.send(packed(strangers), wish).body.contains("64 KiB"));
    CHECK(fixture.send(packed(call_with(key, call_bytes_max)), wish).status == 400);
    CHECK(fixture.send(call_with(key, 100), wish).status == 400);
    const auto whole = packed(call_with(key, 100));
    CHECK(fixture.send(whole.substr(0, whole.size() - 4), wish).status == 400);
}

}  // namespace
}  // namespace muster::xmlrpc_api
