#!/bin/sh
# Times Coppice's Havannah playouts and the reference kernel in turn, several times, and prints both best rates
# and their ratio for each size. Usage: bench/havannah.sh [rounds]
set -eu
cd "$(dirname "$0")/.."
rounds=${1:-3}
mkdir -p target/bench
g++ -O3 -std=c++17 bench/havannah_reference.cpp -o target/bench/havannah_reference
cargo build --quiet --release --no-default-features --example havannah_playouts
: > target/bench/havannah_ours.json
: > target/bench/havannah_reference.json
for _ in $(seq "$rounds"); do
  target/release/examples/havannah_playouts >> target/bench/havannah_ours.json
  target/bench/havannah_reference >> target/bench/havannah_reference.json
done
python3 - <<'EOF'
import json

def best(name):
    rates = {}
    for line in open(f"target/bench/havannah_{name}.json"):
        row = json.loads(line)
        key = row["base"], row["what"]
        rates[key] = max(rates.get(key, 0), row["per_cpu_second"])
    return rates

ours, reference = best("ours"), best("reference")
for (size, what), rate in ours.items():
    base = reference[size, "uniform playouts"]
    print(f"size {size:2}  {what:28} {rate:9,}  reference {base:9,}  ratio {rate / base:.2f}")
EOF
