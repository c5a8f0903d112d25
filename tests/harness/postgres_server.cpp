#include "tests/harness/postgres_server.h"

#include "tests/harness/free_port.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <pwd.h>
#include <set>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

namespace muster::harness {
namespace {

using namespace std::chrono_literals;

constexpr const char* owner = "postgres";

std::filesystem::path program(const std::string& name) {
    for (const int version : {17, 16, 15, 14}) {
        auto match =
            std::filesystem::path("/usr/lib/postgresql") / std::to_string(version) / "bin" / name;
        if (std::filesystem::exists(match)) return match;
    }
    throw std::runtime_error("PostgreSQL is not installed: no " + name);
}

void give_to_owner(const std::filesystem::path& path) {
    if (::geteuid() != 0) return;
    const passwd* passwd = ::getpwnam(owner);  // NOLINT(concurrency-mt-unsafe)
    if (passwd == nullptr || ::chown(path.c_str(), passwd->pw_uid, passwd->pw_gid) != 0)
        throw std::runtime_error("cannot give " + path.string() + " to user postgres");
}

std::string content_of(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::stringstream content;
    content << stream.rdbuf();
    return content.str();
}

struct process_status {
    char state = 'X';  // X: gone, Z: dead but not yet reaped
    pid_t parent = 0;
};

process_status status_of(pid_t process) {
    const auto stat = content_of("/proc/" + std::to_string(process) + "/stat");
    const auto after_name = stat.rfind(')');
    process_status match;
    if (after_name == std::string::npos) return match;
    std::istringstream rest(stat.substr(after_name + 1));
    rest >> match.state >> match.parent;
    return match;
}

bool is_alive(pid_t process) {
    const char state = status_of(process).state;
    return state != 'X' && state != 'Z';
}

std::set<pid_t> children_of(pid_t parent) {
    std::set<pid_t> children;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const auto name = entry.path().filename().string();
        if (!std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; })) continue;
        const auto child = static_cast<pid_t>(std::stol(name));
        if (status_of(child).parent == parent) children.insert(child);
    }
    return children;
}

}  // namespace

postgres_server::postgres_server(access mode) : options_(mode), port_(free_port()) {
    initialise();
    start();
}

postgres_server::~postgres_server() {
    kill();
}

void postgres_server::run_as_owner(std::vector<std::string> argv, const std::string& purpose) {
    process run({.argv = std::move(argv), .environment = {}, .output = log_file(), .user = owner});
    if (run.wait(60s) != 0)
        throw std::runtime_error("cannot " + purpose + ":\n" + content_of(log_file()));
}

void postgres_server::initialise() {
    give_to_owner(directory_.path());
    std::ofstream(password_file()) << "correct horse battery staple\n";
    give_to_owner(password_file());
    const bool trusting = options_ == access::trusting;
    run_as_owner(
        {program("initdb"),
         "--no-sync",
         "--encoding=UTF8",
         "--locale=C",
         "--username=muster",
         trusting ? "--auth=trust" : "--auth=scram-sha-256",
         "--pwfile",
         password_file(),
         "-D",
         directory_.path() / "data"},
        "initialise PostgreSQL");
    if (trusting) return;
    make_certificate();
    std::ofstream(directory_.path() / "data" / "pg_hba.conf")
        << "local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n";
}

void postgres_server::make_certificate() {
    run_as_owner(
        {"openssl",
         "req",
         "-x509",
         "-newkey",
         "ec",
         "-pkeyopt",
         "ec_paramgen_curve:P-256",
         "-nodes",
         "-days",
         "2",
         "-subj",
         "/CN=localhost",
         "-addext",
         "subjectAltName=DNS:localhost,IP:127.0.0.1",
         "-keyout",
         directory_.path() / "server.key",
         "-out",
         ca_file()},
        "make a certificate");
    // PostgreSQL refuses a key that others may read.
    std::filesystem::permissions(
        directory_.path() / "server.key",
        std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

std::size_t postgres_server::times_ready() const {
    const std::string ready = "database system is ready to accept connections";
    const auto log = content_of(log_file());
    std::size_t count = 0;
    for (auto position = log.find(ready); position != std::string::npos;
         position = log.find(ready, position + 1))
        ++count;
    return count;
}

void postgres_server::start() {
    const std::size_t before = times_ready();
    const auto directory = directory_.path().string();
    std::vector<std::string> argv{
        program("postgres"),
        "-D",
        directory + "/data",
        "-p",
        std::to_string(port_),
        "-c",
        "listen_addresses=127.0.0.1",
        "-c",
        "unix_socket_directories=" + directory,
        "-c",
        "fsync=on",
        "-c",
        "synchronous_commit=off",  // the adapter must ask for durability
        "-c",
        "shared_buffers=64MB",
        "-c",
        "max_wal_size=2GB",
        "-c",
        "max_connections=200",
        "-c",
        "recovery_init_sync_method=syncfs"};
    if (options_ == access::password_within_tls) {
        for (const auto& setting :
             {std::string("ssl=on"),
              "ssl_cert_file=" + ca_file().string(),
              "ssl_key_file=" + directory + "/server.key"}) {
            argv.emplace_back("-c");
            argv.push_back(setting);
        }
    }
    server_.emplace(command{.argv = argv, .environment = {}, .output = log_file(), .user = owner});
    eventually("PostgreSQL to serve", [&] { return times_ready() > before; }, 60s, log_file());
}

void postgres_server::kill() {
    if (!server_) return;
    server_->send_signal(SIGSTOP);  // so that it makes no new ones meanwhile
    const auto children = children_of(server_->pid());
    server_->kill();
    for (const pid_t pid : children) ::kill(pid, SIGKILL);
    // A new server refuses to start while processes of the old one hold its memory.
    eventually("PostgreSQL's processes to be gone", [&] {
        return std::ranges::none_of(children, is_alive);
    });
    server_.reset();
}

void postgres_server::stop() {
    server_->send_signal(SIGINT);
    server_->stop();
    server_.reset();
}

// The first process goes first, so that it makes no new ones meanwhile.
void postgres_server::pause() {
    server_->send_signal(SIGSTOP);
    for (const pid_t pid : children_of(server_->pid())) ::kill(pid, SIGSTOP);
}

void postgres_server::resume() {
    for (const pid_t pid : children_of(server_->pid())) ::kill(pid, SIGCONT);
    server_->send_signal(SIGCONT);
}

std::string postgres_server::address(const std::string& database, std::uint16_t through) const {
    return "postgresql://muster@127.0.0.1:" + std::to_string(through == 0 ? port_ : through) + "/"
           + database;
}

void postgres_server::create_database(const std::string& name) {
    run_as_owner(
        {program("createdb"),
         "-h",
         directory_.path(),
         "-p",
         std::to_string(port_),
         "-U",
         "muster",
         name},
        "create database " + name);
}

}  // namespace muster::harness
