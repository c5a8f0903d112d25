#include "tests/harness/test_certificates.h"

#include "tests/harness/process.h"

#include <fstream>
#include <stdexcept>
#include <vector>

namespace muster::harness {
namespace {

using namespace std::chrono_literals;

void openssl(const std::filesystem::path& directory, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "openssl");
    process run(command{
        .argv = std::move(arguments),
        .environment = {},
        .output = directory / "openssl.log",
        .user = {}});
    if (run.wait(30s) != 0) throw std::runtime_error("openssl failed; see its log");
}

}  // namespace

void make_certificates(const std::filesystem::path& directory, const std::string& name) {
    const auto at = [&directory](const std::string& file) {
        return (directory / file).string();
    };
    const std::string curve = "ec_paramgen_curve:prime256v1";
    openssl(
        directory,
        {"req",
         "-x509",
         "-newkey",
         "ec",
         "-pkeyopt",
         curve,
         "-nodes",
         "-days",
         "2",
         "-subj",
         "/CN=muster test CA",
         "-keyout",
         at("ca.key"),
         "-out",
         at("ca.pem")});
    openssl(
        directory,
        {"req",
         "-newkey",
         "ec",
         "-pkeyopt",
         curve,
         "-nodes",
         "-subj",
         "/CN=" + name,
         "-keyout",
         at(name + ".key"),
         "-out",
         at(name + ".csr")});
    std::ofstream(directory / "extensions.txt")
        << "subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth,clientAuth\n";
    openssl(
        directory,
        {"x509",
         "-req",
         "-in",
         at(name + ".csr"),
         "-CA",
         at("ca.pem"),
         "-CAkey",
         at("ca.key"),
         "-CAcreateserial",
         "-days",
         "2",
         "-extfile",
         at("extensions.txt"),
         "-out",
         at(name + ".pem")});
}

}  // namespace muster::harness
