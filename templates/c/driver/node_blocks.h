/* Restrict a problem to blocks of consecutive nodes of one type, small enough for the first-level cache to hold all
 * stages of a step. EACH_BLOCK loops over the blocks. Small systems and models of fixed topology form one block. */
#ifndef SYMLIE_NODE_BLOCKS_H
#define SYMLIE_NODE_BLOCKS_H

typedef struct {
    const symlie_problem *P;    /* problem restricted to these nodes */
    int storage;                /* index of its first value in a configuration */
    int dimension;              /* index of its first component in a velocity */
    int moves;                  /* 1 if increments move nodes of this type */
#if !FIXED_TOPOLOGY
    symlie_problem own;
    symlie_nodes nodes[NODE_TYPES];
    int type;
    int passed;                 /* number of nodes of the type up to the end of the block */
#endif
} node_block;

#if FIXED_TOPOLOGY
#define NODE_BLOCK(P, name) node_block name = {P, 0, 0, 1}
#define DIMENSION_OF_BLOCK(name) DIMENSION
#define EACH_BLOCK(P, name) for (int is_ahead = 1; is_ahead; is_ahead = 0)
#else
#define DIMENSION_OF_BLOCK(name) ((int)(name)->P->dimension)
#define NODE_BLOCK(P, name) \
    node_block name;        \
    begin_blocks(P, &name)
#define EACH_BLOCK(P, name) while (next_block(P, name))

#define NODES_OF_BLOCK (SYMLIE_LANES > 1 ? 64 / SYMLIE_LANES : 32)
#define SMALL_DIMENSION (64 / SYMLIE_LANES)

static inline void begin_blocks(const symlie_problem *restrict P, node_block *restrict block)
{
    block->storage = block->dimension = block->moves = block->type = block->passed = 0;
    block->P = P;
    if (DIMENSION <= SMALL_DIMENSION) return;
    block->P = &block->own;
    block->own = *P;
    block->own.nodes = block->nodes;
    block->own.storage = block->own.dimension = 0;
    for (int k = 0; k < NODE_TYPES; k++) block->nodes[k] = (symlie_nodes){0, 0};
}

/* Advance to the next block. After the last one, return 0 and reset to the first. Unwrapped angles belong to the
 * last block. */
static inline int next_block(const symlie_problem *restrict P, node_block *restrict block)
{
    static const int storage[] = STORAGE_OF_NODES, dimension[] = DIMENSION_OF_NODES;
    static const symlie_nodes none = {0, 0};
    symlie_problem *restrict own = &block->own;
    if (DIMENSION <= SMALL_DIMENSION) return block->moves = !block->moves;
    block->storage += (int)own->storage, block->dimension += (int)own->dimension;
    for (; block->type < NODE_TYPES; block->nodes[block->type++] = none, block->passed = 0) {
        const symlie_nodes all = P->nodes[block->type];
        const int rest = (int)all.count - block->passed, count = rest < NODES_OF_BLOCK || !all.moving ? rest : NODES_OF_BLOCK;
        if (count == 0) continue;
        block->moves = all.moving > 0;
        block->nodes[block->type] = (symlie_nodes){count, block->moves ? count : 0};
        block->passed += count;
        own->dimension = count * dimension[block->type];
        const int is_last = block->dimension + own->dimension == P->dimension;
        own->storage = is_last ? P->storage - block->storage : count * storage[block->type];
        return 1;
    }
    block->storage = block->dimension = block->type = block->passed = 0;
    own->storage = own->dimension = 0;
    return 0;
}
#endif

#endif
