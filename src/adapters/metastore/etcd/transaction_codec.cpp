#include "adapters/metastore/etcd/transaction_codec.h"

#include <set>
#include <string_view>
#include <utility>
#include <variant>

namespace muster::etcd {
namespace {

using etcdserverpb::Compare;
using etcdserverpb::RequestOp;
using etcdserverpb::TxnRequest;
using etcdserverpb::TxnResponse;

class condition_writer {
public:
    explicit condition_writer(Compare& out) : out_(out) {}

    void operator()(const kv::absent& /*what*/) const { created(Compare::EQUAL); }
    void operator()(const kv::present& /*what*/) const { created(Compare::GREATER); }
    void operator()(const kv::unchanged& unchanged) const {
        // To etcd a key that is absent was modified at revision 0, to us it was never.
        if (unchanged.modified <= kv::revision()) return created(Compare::LESS);
        out_.set_result(Compare::EQUAL);
        out_.set_target(Compare::MOD);
        out_.set_mod_revision(unchanged.modified.value());
    }
    void operator()(const kv::value_is& value_is) const {
        out_.set_result(Compare::EQUAL);
        out_.set_target(Compare::VALUE);
        out_.set_value(value_is.value);
    }

private:
    void created(Compare::CompareResult against_zero) const {
        out_.set_result(against_zero);
        out_.set_target(Compare::CREATE);
        out_.set_create_revision(0);
    }

    Compare& out_;
};

class operation_writer {
public:
    operation_writer(const keyspace& keys, RequestOp& out) : keys_(keys), out_(out) {}

    void operator()(const kv::put& put) const {
        auto& request = *out_.mutable_request_put();
        request.set_key(keys_.outer(put.key));
        request.set_value(put.value);
        request.set_lease(put.lease.value());
    }
    void operator()(const kv::erase& erase) const {
        out_.mutable_request_delete_range()->set_key(keys_.outer(erase.key));
    }
    void operator()(const kv::erase_prefix& erase_prefix) const {
        auto span = keys_.span_of(erase_prefix.prefix);
        auto& request = *out_.mutable_request_delete_range();
        request.set_key(std::move(span.first));
        request.set_range_end(std::move(span.end));
    }

private:
    const keyspace& keys_;
    RequestOp& out_;
};

// The read of a refused transaction's keys: one answer a key, in key order.
result<std::vector<kv::entry>> entries_read(const keyspace& keys, const TxnResponse& response) {
    std::vector<kv::entry> entries;
    for (const auto& one : response.responses()) {
        if (!one.has_response_range())
            return fail(errc::corrupt, "unexpected etcd response to a refused transaction");
        for (const auto& stored : one.response_range().kvs())
            entries.push_back(keys.entry_from(stored));
    }
    return entries;
}

result<kv::commit_result> decode_at(
    const keyspace& keys, const TxnResponse& response, kv::revision at) {
    kv::commit_result verdict{.committed = response.succeeded(), .at = at, .current = {}};
    if (verdict.committed) return verdict;
    TRY(verdict.current, entries_read(keys, response));
    return verdict;
}

const std::string& key_of(const kv::condition& condition) {
    return std::visit([](const auto& any) -> const std::string& { return any.key; }, condition);
}

void add_conditions(TxnRequest& request, const keyspace& keys, const kv::transaction& change) {
    for (const auto& one : change.when) {
        Compare& compare = *request.add_compare();
        compare.set_key(keys.outer(key_of(one)));
        std::visit(condition_writer(compare), one);
    }
}

void add_operations(TxnRequest& request, const keyspace& keys, const kv::transaction& change) {
    for (const auto& one : change.then)
        std::visit(operation_writer(keys, *request.add_success()), one);
}

// A transaction that neither writes nor reads would be answered from the member's memory without
// asking the others; a read makes it as linearizable as the rest.
void read_something(TxnRequest& request, const keyspace& keys) {
    request.add_success()->mutable_request_range()->set_key(keys.outer("?"));
}

}  // namespace

TxnRequest encode(const keyspace& keys, const kv::transaction& change) {
    TxnRequest request;
    add_conditions(request, keys, change);
    add_operations(request, keys, change);
    std::set<std::string_view> named;
    for (const auto& one : change.when) named.insert(key_of(one));
    for (const auto key : named)
        request.add_failure()->mutable_request_range()->set_key(keys.outer(key));
    if (change.when.empty() && change.then.empty()) read_something(request, keys);
    return request;
}

void joined_request::add(const kv::transaction& change) {
    add_conditions(request_, keys_, change);
    add_operations(request_, keys_, change);
}

TxnRequest joined_request::release() && {
    if (request_.success_size() == 0) read_something(request_, keys_);
    return std::move(request_);
}

TxnRequest nest(std::vector<TxnRequest> changes) {
    TxnRequest request;
    for (auto& change : changes) *request.add_success()->mutable_request_txn() = std::move(change);
    return request;
}

result<kv::commit_result> decode(const keyspace& keys, const TxnResponse& response) {
    return decode_at(keys, response, kv::revision(response.header().revision()));
}

result<std::vector<kv::commit_result>> decode_nested(
    const keyspace& keys, const TxnResponse& response) {
    const kv::revision at(response.header().revision());
    std::vector<kv::commit_result> verdicts;
    for (const auto& one : response.responses()) {
        if (!one.has_response_txn())
            return fail(errc::corrupt, "unexpected etcd response to a nested transaction");
        TRY(kv::commit_result verdict, decode_at(keys, one.response_txn(), at));
        verdicts.push_back(std::move(verdict));
    }
    return verdicts;
}

}  // namespace muster::etcd
