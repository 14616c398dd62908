#pragma once

#include "gemm.h"

#include "../tiles/overlap.h"
#include "../tiles/parts.h"
#include "../tiles/pipeline_tma.h"

// Blocks of a cluster by the rows of operand A and B, which have changed places where a product is turned.
template <bool Turned>
using Blocks = tiles::Cluster<Turned ? Params::cluster_n : Params::cluster_m,
                              Turned ? Params::cluster_m : Params::cluster_n>;

// Tiles of clusters in the order of tile_place: `down` of them below each other, `across` beside each other.
template <bool Turned>
struct Tiles {
  Params p;
  int down, across;
  __device__ int steps() const { return (p.k + Params::tile_k - 1) / Params::tile_k; }
  /// This block's part of a cluster's tile, over steps [begin, end) of the depth.
  __device__ tiles::Work work(int tile, int begin, int end, int split) const {
    const tiles::TilePlace place = tiles::tile_place(tile, down, across, p.group);
    const int y = Turned ? Blocks<Turned>::x() : Blocks<Turned>::y();
    const int x = Turned ? Blocks<Turned>::y() : Blocks<Turned>::x();
    const int row = (place.row * Params::cluster_m + y) * Params::tile_m;
    const int column = (place.column * Params::cluster_n + x) * Params::tile_n;
    return {Turned ? column : row,   Turned ? row : column, begin * Params::tile_k,
            end * Params::tile_k, split,                 tile};
  }
};
template <bool Turned>
__device__ Tiles<Turned> all_tiles(const Params& p) {
  return {p, (p.m - 1) / (Params::tile_m * Params::cluster_m) + 1,
          (p.n - 1) / (Params::tile_n * Params::cluster_n) + 1};
}

// Whole tiles; with splits > 1 parts of the depth follow each other.
template <bool Turned>
struct Works {
  Tiles<Turned> tiles;
  int count;
  __device__ explicit Works(const Tiles<Turned>& all)
      : tiles(all), count(all.down * all.across * all.p.splits) {}
  __device__ tiles::Work at(int index) const {
    const int split = index / (tiles.down * tiles.across);
    const long long steps = tiles.steps();
    return tiles.work(index % (tiles.down * tiles.across), int(steps * split / tiles.p.splits),
                      int(steps * (split + 1) / tiles.p.splits), split);
  }
};

// Stream-K (Osama et al., PPoPP 2023): of rounds in which each cluster has a tile, all but the last whole one
// are done so; the steps of the other tiles, fewer than two for each cluster, are divided evenly among the
// clusters, whatever tiles they belong to.
template <bool Turned>
struct StreamedWorks {
  Tiles<Turned> tiles;
  int clusters, whole, pieces, count;  // `whole` tiles; `pieces` of the others for each cluster
  long long depth, all;                // steps of a tile and of all others

  __device__ explicit StreamedWorks(const Tiles<Turned>& every)
      : tiles(every), clusters(int(gridDim.x) / Blocks<Turned>::blocks), depth(every.steps()) {
    const int number = every.down * every.across;
    const int rest = number % clusters;
    whole = rest == 0 ? number : number < clusters ? 0 : number - rest - clusters;
    all = (number - whole) * depth;
    pieces = all == 0 ? 0 : int(((all + clusters - 1) / clusters + depth - 1) / depth) + 1;
    count = clusters * pieces + whole;
  }
  __device__ long long begin(int cluster) const { return all * cluster / clusters; }
  /// The cluster that does this step.
  __device__ int owner(long long step) const { return int(((step + 1) * clusters - 1) / all); }
  __device__ tiles::Work at(int index) const {
    const int cluster = index % clusters, piece = index / clusters;
    if (piece >= pieces) return tiles.work(index - clusters * pieces, 0, int(depth), 0);
    const long long tile = begin(cluster) / depth + piece;
    const long long from = max(begin(cluster), tile * depth), to = min(begin(cluster + 1), (tile + 1) * depth);
    if (from >= to) return {0, 0, 0, 0, 0};
    return tiles.work(whole + int(tile), int(from - tile * depth), int(to - tile * depth), piece);
  }
  /// How the parts of a tile are stored: a cluster leaves at most two, of its first and its last tile.
  struct PartsOfTile {
    const StreamedWorks& works;
    long long tile;
    Sum* parts;
    int first;
    __device__ int count() const { return works.owner((tile + 1) * works.depth - 1) - first + 1; }
    __device__ Sum* of(int cluster) const {
      const int later = works.begin(cluster) / works.depth != tile;
      const long long place = (cluster * 2 + later) * Blocks<Turned>::blocks + Blocks<Turned>::rank();
      return parts + place * (Params::tile_m * Params::tile_n);
    }
  };
  __device__ PartsOfTile parts_of(const tiles::Work& work, Sum* parts) const {
    const long long tile = work.tile - whole;
    return {*this, tile, parts, owner(tile * depth)};
  }
};

// A tile, or the part of it that the cluster has.
template <bool Turned, class Operation, class Store>
__device__ void store_streamed(Operation& operation, const StreamedWorks<Turned>& works,
                               const tiles::Work& work, int rank, const Store& store, Sum* parts,
                               int* arrived) {
  const int row = Turned ? work.column : work.row, column = Turned ? work.row : work.column;
  if (work.k_begin == 0 && work.k_end == int(works.depth) * Params::tile_k) {
    operation.store(rank, row, column, store);
    return;
  }
  using Sums = tiles::PartSums<Sum, Params::tile_m, Params::tile_n>;
  const auto of_tile = works.parts_of(work, parts);
  operation.store(rank, 0, 0, Sums::store_to(of_tile.of(int(blockIdx.x) / Blocks<Turned>::blocks)));
  Sums::template add<Operation::block>(
      [&](int part) { return of_tile.of(of_tile.first + part); }, of_tile.count(),
      arrived + work.tile * Blocks<Turned>::blocks + Blocks<Turned>::rank(), store, row, column, rank,
      [] { tiles::sync_computing<Operation::block>(); });
}

extern __shared__ char memory[];

// All tiles of d, by an operation on boxes. c is read when a tile's sums are complete, and so after the launches
// before, whose end the first box waits for: the kernels' c is not `__restrict__`, as such loads need not stay
// behind the wait. Nor are `parts` and `arrived`, which other blocks write, too. `ByLines`: results of 2 bytes go
// through shared memory, behind the stages, if they need no c.
template <bool ByLines = false, class Operation>
KILN_DEVICE void gemm_boxes(const Operation& operation, Out* d, Sum* parts, int* arrived,
                            const CUtensorMap& a, const CUtensorMap& b, const Out* c, const Params& p) {
  constexpr bool turned = Operation::turned;
  using Cluster = Blocks<turned>;
  if (threadIdx.x == 0) {
    tiles::prefetch_map(a);
    tiles::prefetch_map(b);
  }
  bool waits = true;
  const auto boxes = tiles::boxes_of_a<typename Operation::LayoutA, Cluster>(turned ? b : a);
  const auto run = [&](const auto& works, const auto& finish) {
    tiles::run_boxes<Cluster, Params::stages>(
        operation, works, tiles::LaterBoxes<decltype(boxes)>{boxes, waits},
        tiles::boxes_of_b<typename Operation::LayoutB, Cluster>(turned ? a : b), memory,
        [&](Operation& done, const tiles::Work& work, int rank) {
          tiles::wait_for_launches_before();
          if constexpr (ByLines && sizeof(Out) == 2) {
            char* const lines = tiles::align_shared(memory, 1024) +
                                Params::stages * tiles::stage_bytes<Operation> +
                                rank / 32 * tiles::lines_bytes;
            finish(done, work, rank, tiles::EpilogueByLines<Out, Sum>{epilogue(d, c, p), lines});
          } else {
            finish(done, work, rank, epilogue(d, c, p));
          }
        },
        [] { tiles::let_next_start(); });
  };
  if constexpr (Params::stream) {
    const StreamedWorks<turned> works(all_tiles<turned>(p));
    run(works, [&](Operation& done, const tiles::Work& work, int rank, const auto& store) {
      store_streamed<turned>(done, works, work, rank, store, parts, arrived);
    });
  } else {
    run(Works<turned>(all_tiles<turned>(p)),
        [&](Operation& done, const tiles::Work& work, int rank, const auto& store) {
          store_sums(done, rank, turned ? work.column : work.row, turned ? work.row : work.column, work.split,
                     store, parts, p);
        });
  }
}
