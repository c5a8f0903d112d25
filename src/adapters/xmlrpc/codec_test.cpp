#include "adapters/xmlrpc/codec.h"

#include <doctest/doctest.h>

using namespace muster;
using api::value;
using list = value::list;
using record = value::record;

namespace {

std::string call_with(const std::string& content) {
    return "<?xml version='1.0'?>\n<methodCall>\n<methodName>system.getDetails</methodName>\n"
           "<params>\n<param>\n<value>"
           + content + "</value>\n</param>\n</params>\n</methodCall>\n";
}

value read(const std::string& content) {
    const auto call = xmlrpc::parse_call(call_with(content));
    REQUIRE_MESSAGE(call.has_value(), content);
    REQUIRE(call->arguments.size() == 1);
    return call->arguments.front();
}

bool refused(const std::string& text) {
    const auto call = xmlrpc::parse_call(text);
    return !call && call.error().code() == errc::invalid;
}

wall_time at_ten_at_night() {
    using namespace std::chrono;
    return sys_days(year(2026) / 11 / 16) + hours(22);
}

}  // namespace

TEST_CASE("a call has a method and arguments of every type") {
    CHECK(xmlrpc::parse_call(call_with("x"))->method == "system.getDetails");
    CHECK(read("<string>web1</string>") == value("web1"));
    CHECK(read("web1") == value("web1"));
    CHECK(read("") == value(""));
    CHECK(read("<string/>") == value(""));
    CHECK(read("<int>-7</int>") == value(-7));
    CHECK(read("<i4>1000010000</i4>") == value(1'000'010'000));
    CHECK(read("<i8>9000000000</i8>") == value(std::int64_t{9'000'000'000}));
    CHECK(read("<boolean>1</boolean>") == value(true));
    CHECK(read("<double>1.5</double>") == value(1.5));
    CHECK(read("<nil/>") == value());
    CHECK(read("<base64>aGk=</base64>") == value(value::bytes{"hi"}));
    CHECK(
        read("<dateTime.iso8601>20261116T22:00:00</dateTime.iso8601>") == value(at_ten_at_night()));
    CHECK(
        read("<array><data><value><i4>1</i4></value><value>a</value></data></array>")
        == value(list{1, "a"}));
    CHECK(read("<array><data/></array>") == value(list{}));
    CHECK(
        read("<struct><member><name>a</name><value><i4>1</i4></value></member></struct>")
        == value(record{{"a", 1}}));
}

TEST_CASE("a text loses the white space around it and keeps what is inside") {
    CHECK(read("<string>12xabc\n</string>") == value("12xabc"));
    CHECK(read("<string> a  b &lt;c&gt; </string>") == value("a  b <c>"));
    CHECK(read("<string><![CDATA[#!/bin/sh\nexit 0\n]]></string>") == value("#!/bin/sh\nexit 0"));
    // But for members of a struct: a file's last line has its end.
    const auto member = [](const std::string& content) {
        return read(
            "<struct><member><name>a</name><value>" + content + "</value></member></struct>");
    };
    CHECK(member("<string> a\n</string>") == value(record{{"a", " a\n"}}));
    CHECK(member("\n <string>\n</string> ") == value(record{{"a", "\n"}}));
    CHECK(member("<string/>") == value(record{{"a", ""}}));
    CHECK(member(" a ") == value(record{{"a", "a"}}));
}

TEST_CASE("what is no call is refused") {
    CHECK(refused(""));
    CHECK(refused("hello"));
    CHECK(refused("<methodCall>"));
    CHECK(refused("<methodResponse/>"));
    CHECK(refused("<methodCall><params/></methodCall>"));
    CHECK(refused(call_with("<i4>7x</i4>")));
    CHECK(refused(call_with("<i4></i4>")));
    CHECK(refused(call_with("<i4>99999999999999999999</i4>")));
    CHECK(refused(call_with("<boolean>2</boolean>")));
    CHECK(refused(call_with("<double>nan</double>")));
    CHECK(refused(call_with("<dateTime.iso8601>20260229T00:00:00</dateTime.iso8601>")));
    CHECK(refused(call_with("<base64>?</base64>")));
    CHECK(refused(call_with("<integer>1</integer>")));
    CHECK(refused(call_with("<i4>1</i4><i4>2</i4>")));
    CHECK(refused(call_with("<array><value>1</value></array>")));
    CHECK(refused(call_with("<struct><member><name>a</name></member></struct>")));
    const std::string twice = "<member><name>a</name><value>1</value></member>";
    CHECK(refused(call_with("<struct>" + twice + twice + "</struct>")));
}

TEST_CASE("a DOCTYPE is refused, so that no entity is ever looked at") {
    CHECK(
        refused("<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b \"c\">]>"
                "<methodCall><methodName>a.b</methodName></methodCall>"));
}

TEST_CASE("a text that is not UTF-8 is refused in a call, and does not spoil an answer") {
    CHECK(read("<string>z\xc3\xbcrich</string>") == value("z\xc3\xbcrich"));
    CHECK(refused(call_with("<string>z\xfcrich</string>")));
    CHECK(refused(call_with("<string>&#55296;</string>")));
    CHECK(refused(
        call_with("<struct><member><name>\xff</name><value><i4>1</i4></value></member></struct>")));
    CHECK(xmlrpc::response("z\xc3\xbcrich").contains("<string>z\xc3\xbcrich</string>"));
    CHECK(xmlrpc::response("z\xfcrich").contains("<string>z?rich</string>"));
}

TEST_CASE("a struct of very many members is read whole, and a name in it twice is refused") {
    std::string members;
    for (int each = 0; each < 60'000; ++each)
        members += "<member><name>m" + std::to_string(each) + "</name><value>1</value></member>";
    CHECK(read("<struct>" + members + "</struct>").get<record>()->size() == 60'000);
    members += "<member><name>m7</name><value>1</value></member>";
    CHECK(refused(call_with("<struct>" + members + "</struct>")));
}

TEST_CASE("nesting is bounded") {
    std::string deep = "<i4>1</i4>";
    for (std::size_t level = 0; level <= xmlrpc::depth_max; ++level)
        deep = "<array><data><value>" + deep + "</value></data></array>";
    CHECK(refused(call_with(deep)));
}

TEST_CASE("an answer is spelt as clients know it") {
    CHECK(
        xmlrpc::response(value(1))
        == "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<methodResponse><params><param>"
           "<value><i4>1</i4></value></param></params></methodResponse>\n");
    const auto body = xmlrpc::response(record{
        {"id", 7},
        {"large", std::int64_t{9'000'000'000}},
        {"gone", value()},
        {"name", "a<b&c\x01"},
        {"when", at_ten_at_night()},
        {"none", list{}}});
    CHECK(body.find("<i8>9000000000</i8>") != std::string::npos);
    CHECK(body.find("gone") == std::string::npos);
    CHECK(body.find("<string>a&lt;b&amp;c?</string>") != std::string::npos);
    CHECK(body.find("<dateTime.iso8601>20261116T22:00:00<") != std::string::npos);
    CHECK(body.find("<name>none</name><value><array><data></data></array>") != std::string::npos);
}

TEST_CASE("a list that is written piece by piece reads as one that is written at once") {
    std::string streamed = xmlrpc::list_opening();
    for (int each = 0; each < 3; ++each) xmlrpc::append_item(streamed, value(each));
    streamed += xmlrpc::list_closing();
    CHECK(streamed == xmlrpc::response(list{0, 1, 2}));
}

TEST_CASE("a fault has a code and a text") {
    const auto body = xmlrpc::fault(-1, "no such method");
    CHECK(body.find("<name>faultCode</name><value><i4>-1</i4></value>") != std::string::npos);
    CHECK(body.find("<string>no such method</string>") != std::string::npos);
}
