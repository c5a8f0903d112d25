#include "adapters/metastore/etcd/endpoints.h"

#include <grpc/support/log.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <fstream>
#include <memory>
#include <mutex>
#include <string>

namespace muster::etcd {
namespace {

constexpr std::size_t pem_bytes_max = 1024 * std::size_t{1024};
constexpr int response_bytes_max = 128 * 1024 * 1024;

// etcd cuts off clients that ping more often than every 5 s.
constexpr int ping_every_ms = 6'000;
constexpr int ping_timeout_ms = 2'000;

constexpr int reconnect_after_ms = 50;
constexpr int reconnect_after_ms_max = 1'000;

grpc::ChannelArguments channel_arguments(std::chrono::milliseconds connect_deadline) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(response_bytes_max);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, ping_every_ms);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, ping_timeout_ms);
    arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, reconnect_after_ms);
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, reconnect_after_ms_max);
    arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, static_cast<int>(connect_deadline.count()));
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // clients do not share connections
    return arguments;
}

result<std::shared_ptr<grpc::ChannelCredentials>> channel_credentials(
    const etcd_options::tls_files& files) {
    if (files.ca.empty()) return grpc::InsecureChannelCredentials();
    grpc::SslCredentialsOptions pem;
    TRY(pem.pem_root_certs, read_small_file(files.ca, pem_bytes_max));
    if (!files.certificate.empty()) {
        TRY(pem.pem_cert_chain, read_small_file(files.certificate, pem_bytes_max));
        TRY(pem.pem_private_key, read_small_file(files.key, pem_bytes_max));
    }
    return grpc::SslCredentials(pem);
}

// gRPC prints on standard error, past our log, what it also says in the status of the calls.
void silence_grpc() {
    static std::once_flag once;
    std::call_once(once, [] { gpr_set_log_function([](gpr_log_func_args* /*line*/) {}); });
}

}  // namespace

result<std::string> read_small_file(const std::filesystem::path& path, std::size_t bytes_max) {
    std::ifstream stream(path, std::ios::binary);
    std::string content(bytes_max + 1, '\0');
    stream.read(content.data(), static_cast<std::streamsize>(content.size()));
    content.resize(static_cast<std::size_t>(stream.gcount()));
    const bool read = stream.eof() && !stream.bad();
    if (read && !content.empty() && content.size() <= bytes_max) return content;
    return fail(
        errc::invalid,
        "cannot read " + path.string() + "; provide a readable file of 1 to "
            + std::to_string(bytes_max) + " bytes");
}

result<endpoints> endpoints::open(const etcd_options& options) {
    silence_grpc();
    TRY(const auto credentials, channel_credentials(options.tls));
    const auto arguments = channel_arguments(options.request_deadline);
    endpoints opened;
    for (const auto& address : options.endpoints) {
        opened.channels_.push_back(grpc::CreateCustomChannel(address, credentials, arguments));
    }
    return opened;
}

}  // namespace muster::etcd
