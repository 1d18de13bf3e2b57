//! Long operator and `else if` chains, which nest deeply, and variables named like constants.
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::prelude::*;

cases![values_of_many, stores_of_many, many_terms, many_alternatives, upper_case, beyond_ascii];

#[kernel]
fn values(x: &mut [u32]) {
    let i = global_idx_x();
    if i < x.len() {
        let c = x[i];
        x[i] = if c == 0 {
            0 * 0 + 1
        } else if c == 1 {
            1 * 1 + 1
        } else if c == 2 {
            2 * 2 + 1
        } else if c == 3 {
            3 * 3 + 1
        } else if c == 4 {
            4 * 4 + 1
        } else if c == 5 {
            5 * 5 + 1
        } else if c == 6 {
            6 * 6 + 1
        } else if c == 7 {
            7 * 7 + 1
        } else if c == 8 {
            8 * 8 + 1
        } else if c == 9 {
            9 * 9 + 1
        } else if c == 10 {
            10 * 10 + 1
        } else if c == 11 {
            11 * 11 + 1
        } else if c == 12 {
            12 * 12 + 1
        } else if c == 13 {
            13 * 13 + 1
        } else if c == 14 {
            14 * 14 + 1
        } else if c == 15 {
            15 * 15 + 1
        } else if c == 16 {
            16 * 16 + 1
        } else if c == 17 {
            17 * 17 + 1
        } else if c == 18 {
            18 * 18 + 1
        } else if c == 19 {
            19 * 19 + 1
        } else if let Some(v) = (c == 20).then_some(c)
            && v > 3
        {
            v + 900
        } else if c == 21 {
            21 * 21 + 1
        } else if c == 22 {
            22 * 22 + 1
        } else if c == 23 {
            23 * 23 + 1
        } else if c == 24 {
            24 * 24 + 1
        } else if c == 25 {
            25 * 25 + 1
        } else if c == 26 {
            26 * 26 + 1
        } else if c == 27 {
            27 * 27 + 1
        } else if c == 28 {
            28 * 28 + 1
        } else if c == 29 {
            29 * 29 + 1
        } else if c == 30 {
            30 * 30 + 1
        } else if c == 31 {
            31 * 31 + 1
        } else if c == 32 {
            32 * 32 + 1
        } else if c == 33 {
            33 * 33 + 1
        } else if c == 34 {
            34 * 34 + 1
        } else if c == 35 {
            35 * 35 + 1
        } else if c == 36 {
            36 * 36 + 1
        } else if c == 37 {
            37 * 37 + 1
        } else if c == 38 {
            38 * 38 + 1
        } else if c == 39 {
            39 * 39 + 1
        } else {
            7
        };
    }
}

fn values_of_many(on: &Engine) -> Check {
    let mut x: Vec<u32> = (0..64).map(|i| i * 7 % 50).collect();
    let want = |c: &u32| match *c {
        20 => 920,
        c if c < 40 => c * c + 1,
        _ => 7,
    };
    let wanted: Vec<u32> = x.iter().map(want).collect();
    launch!(on, values(write x), LaunchConfig::cover(x.len()))?;
    same("x", &x, &wanted)
}

#[kernel]
fn stores(x: &mut [u32]) {
    let i = global_idx_x();
    if i < x.len() {
        let c = x[i];
        if c == 0 {
            x[i] = 0 * 3;
        } else if c == 1 {
            x[i] = 1 * 3;
        } else if c == 2 {
            x[i] = 2 * 3;
        } else if c == 3 {
            x[i] = 3 * 3;
        } else if c == 4 {
            x[i] = 4 * 3;
        } else if c == 5 {
            return;
        } else if c == 6 {
            x[i] = 6 * 3;
        } else if c == 7 {
            x[i] = 7 * 3;
        } else if c == 8 {
            x[i] = 8 * 3;
        } else if c == 9 {
            x[i] = 9 * 3;
        } else if c == 10 {
            x[i] = 10 * 3;
        } else if c == 11 {
            x[i] = 11 * 3;
        } else if c == 12 {
            x[i] = 12 * 3;
        } else if c == 13 {
            x[i] = 13 * 3;
        } else if c == 14 {
            x[i] = 14 * 3;
        } else if c == 15 {
            x[i] = 15 * 3;
        } else if c == 16 {
            x[i] = 16 * 3;
        } else if c == 17 {
            x[i] = 17 * 3;
        } else if c == 18 {
            return;
        } else if c == 19 {
            x[i] = 19 * 3;
        } else if c == 20 {
            x[i] = 20 * 3;
        } else if c == 21 {
            x[i] = 21 * 3;
        } else if c == 22 {
            x[i] = 22 * 3;
        } else if c == 23 {
            x[i] = 23 * 3;
        } else if c == 24 {
            x[i] = 24 * 3;
        } else if c == 25 {
            x[i] = 25 * 3;
        } else if c == 26 {
            x[i] = 26 * 3;
        } else if c == 27 {
            x[i] = 27 * 3;
        } else if c == 28 {
            x[i] = 28 * 3;
        } else if c == 29 {
            x[i] = 29 * 3;
        } else if c == 30 {
            x[i] = 30 * 3;
        } else if c == 31 {
            return;
        } else if c == 32 {
            x[i] = 32 * 3;
        } else if c == 33 {
            x[i] = 33 * 3;
        } else if c == 34 {
            x[i] = 34 * 3;
        } else if c == 35 {
            x[i] = 35 * 3;
        } else if c == 36 {
            x[i] = 36 * 3;
        } else if c == 37 {
            x[i] = 37 * 3;
        } else if c == 38 {
            x[i] = 38 * 3;
        } else if c == 39 {
            x[i] = 39 * 3;
        }
        x[i] += 1;
    }
}

fn stores_of_many(on: &Engine) -> Check {
    let mut x: Vec<u32> = (0..64).map(|i| i * 7 % 50).collect();
    let want = |c: &u32| match *c {
        c if c < 40 && c % 13 == 5 => c,
        c if c < 40 => c * 3 + 1,
        c => c + 1,
    };
    let wanted: Vec<u32> = x.iter().map(want).collect();
    launch!(on, stores(write x), LaunchConfig::cover(x.len()))?;
    same("x", &x, &wanted)
}

#[kernel]
fn sum(x: &mut [u32]) {
    let c = x[0];
    x[0] = c % 2
        + c % 3
        + c % 4
        + c % 5
        + c % 6
        + c % 7
        + c % 8
        + c % 9
        + c % 10
        + c % 11
        + c % 12
        + c % 13
        + c % 14
        + c % 15
        + c % 16
        + c % 17
        + c % 18
        + c % 19
        + c % 20
        + c % 21
        + c % 22
        + c % 23
        + c % 24
        + c % 25
        + c % 26
        + c % 27
        + c % 28
        + c % 29
        + c % 30
        + c % 31
        + c % 32
        + c % 33
        + c % 34
        + c % 35
        + c % 36
        + c % 37
        + c % 38
        + c % 39
        + c % 40
        + c % 41
        + c % 42
        + c % 43
        + c % 44
        + c % 45
        + c % 46
        + c % 47
        + c % 48
        + c % 49
        + c % 50
        + c % 51
        + c % 52
        + c % 53
        + c % 54
        + c % 55
        + c % 56
        + c % 57
        + c % 58
        + c % 59
        + c % 60
        + c % 61
        + c % 62
        + c % 63
        + c % 64
        + c % 65
        + c % 66
        + c % 67
        + c % 68
        + c % 69
        + c % 70
        + c % 71
        + c % 72
        + c % 73
        + c % 74
        + c % 75
        + c % 76
        + c % 77
        + c % 78
        + c % 79
        + c % 80
        + c % 81
        + c % 82
        + c % 83
        + c % 84
        + c % 85
        + c % 86
        + c % 87
        + c % 88
        + c % 89
        + c % 90
        + c % 91
        + c % 92
        + c % 93
        + c % 94
        + c % 95
        + c % 96
        + c % 97
        + c % 98
        + c % 99
        + c % 100
        + c % 101
        + c % 102
        + c % 103
        + c % 104
        + c % 105
        + c % 106
        + c % 107
        + c % 108
        + c % 109
        + c % 110
        + c % 111
        + c % 112
        + c % 113
        + c % 114
        + c % 115
        + c % 116
        + c % 117
        + c % 118
        + c % 119
        + c % 120
        + c % 121
        + c % 122
        + c % 123
        + c % 124
        + c % 125
        + c % 126
        + c % 127
        + c % 128
        + c % 129
        + c % 130
        + c % 131
        + c % 132
        + c % 133
        + c % 134
        + c % 135
        + c % 136
        + c % 137
        + c % 138
        + c % 139
        + c % 140
        + c % 141
        + c % 142
        + c % 143
        + c % 144
        + c % 145
        + c % 146
        + c % 147
        + c % 148
        + c % 149
        + c % 150
        + c % 151
        + c % 152
        + c % 153
        + c % 154
        + c % 155
        + c % 156
        + c % 157
        + c % 158
        + c % 159
        + c % 160
        + c % 161
        + c % 162
        + c % 163
        + c % 164
        + c % 165
        + c % 166
        + c % 167
        + c % 168
        + c % 169
        + c % 170
        + c % 171
        + c % 172
        + c % 173
        + c % 174
        + c % 175
        + c % 176
        + c % 177
        + c % 178
        + c % 179
        + c % 180
        + c % 181
        + c % 182
        + c % 183
        + c % 184
        + c % 185
        + c % 186
        + c % 187
        + c % 188
        + c % 189
        + c % 190
        + c % 191
        + c % 192
        + c % 193
        + c % 194
        + c % 195
        + c % 196
        + c % 197
        + c % 198
        + c % 199
        + c % 200
        + c % 201
        + c % 202
        + c % 203
        + c % 204
        + c % 205
        + c % 206
        + c % 207
        + c % 208
        + c % 209
        + c % 210
        + c % 211
        + c % 212
        + c % 213
        + c % 214
        + c % 215
        + c % 216
        + c % 217
        + c % 218
        + c % 219
        + c % 220
        + c % 221
        + c % 222
        + c % 223
        + c % 224
        + c % 225
        + c % 226
        + c % 227
        + c % 228
        + c % 229
        + c % 230
        + c % 231
        + c % 232
        + c % 233
        + c % 234
        + c % 235
        + c % 236
        + c % 237
        + c % 238
        + c % 239
        + c % 240
        + c % 241
        + c % 242
        + c % 243
        + c % 244
        + c % 245
        + c % 246
        + c % 247
        + c % 248
        + c % 249
        + c % 250
        + c % 251;
}

fn many_terms(on: &Engine) -> Check {
    let mut x = vec![1_000_003];
    launch!(on, sum(write x), LaunchConfig::grid(1).block(1))?;
    same("x", &x, &[(0..250).map(|i| 1_000_003 % (i + 2)).sum()])
}

#[kernel]
fn any(x: &mut [u32]) {
    let i = global_idx_x();
    if i < x.len() {
        let c = x[i];
        x[i] = (c == 0
            || c == 3
            || c == 6
            || c == 9
            || c == 12
            || c == 15
            || c == 18
            || c == 21
            || c == 24
            || c == 27
            || c == 30
            || c == 33
            || c == 36
            || c == 39
            || c == 42
            || c == 45
            || c == 48
            || c == 51
            || c == 54
            || c == 57
            || c == 60
            || c == 63
            || c == 66
            || c == 69
            || c == 72
            || c == 75
            || c == 78
            || c == 81
            || c == 84
            || c == 87
            || c == 90
            || c == 93
            || c == 96
            || c == 99
            || c == 102
            || c == 105
            || c == 108
            || c == 111
            || c == 114
            || c == 117
            || c == 120
            || c == 123
            || c == 126
            || c == 129
            || c == 132
            || c == 135
            || c == 138
            || c == 141
            || c == 144
            || c == 147
            || c == 150
            || c == 153
            || c == 156
            || c == 159
            || c == 162
            || c == 165
            || c == 168
            || c == 171
            || c == 174
            || c == 177
            || c == 180
            || c == 183
            || c == 186
            || c == 189
            || c == 192
            || c == 195
            || c == 198
            || c == 201
            || c == 204
            || c == 207
            || c == 210
            || c == 213
            || c == 216
            || c == 219
            || c == 222
            || c == 225
            || c == 228
            || c == 231
            || c == 234
            || c == 237
            || c == 240
            || c == 243
            || c == 246
            || c == 249
            || c == 252
            || c == 255
            || c == 258
            || c == 261
            || c == 264
            || c == 267
            || c == 270
            || c == 273
            || c == 276
            || c == 279
            || c == 282
            || c == 285
            || c == 288
            || c == 291
            || c == 294
            || c == 297
            || c == 300
            || c == 303
            || c == 306
            || c == 309
            || c == 312
            || c == 315
            || c == 318
            || c == 321
            || c == 324
            || c == 327
            || c == 330
            || c == 333
            || c == 336
            || c == 339
            || c == 342
            || c == 345
            || c == 348
            || c == 351
            || c == 354
            || c == 357
            || c == 360
            || c == 363
            || c == 366
            || c == 369
            || c == 372
            || c == 375
            || c == 378
            || c == 381
            || c == 384
            || c == 387
            || c == 390
            || c == 393
            || c == 396
            || c == 399
            || c == 402
            || c == 405
            || c == 408
            || c == 411
            || c == 414
            || c == 417
            || c == 420
            || c == 423
            || c == 426
            || c == 429
            || c == 432
            || c == 435
            || c == 438
            || c == 441
            || c == 444
            || c == 447
            || c == 450
            || c == 453
            || c == 456
            || c == 459
            || c == 462
            || c == 465
            || c == 468
            || c == 471
            || c == 474
            || c == 477
            || c == 480
            || c == 483
            || c == 486
            || c == 489
            || c == 492
            || c == 495
            || c == 498
            || c == 501
            || c == 504
            || c == 507
            || c == 510
            || c == 513
            || c == 516
            || c == 519
            || c == 522
            || c == 525
            || c == 528
            || c == 531
            || c == 534
            || c == 537
            || c == 540
            || c == 543
            || c == 546
            || c == 549
            || c == 552
            || c == 555
            || c == 558
            || c == 561
            || c == 564
            || c == 567
            || c == 570
            || c == 573
            || c == 576
            || c == 579
            || c == 582
            || c == 585
            || c == 588
            || c == 591
            || c == 594
            || c == 597
            || c == 600
            || c == 603
            || c == 606
            || c == 609
            || c == 612
            || c == 615
            || c == 618
            || c == 621
            || c == 624
            || c == 627
            || c == 630
            || c == 633
            || c == 636
            || c == 639
            || c == 642
            || c == 645
            || c == 648
            || c == 651
            || c == 654
            || c == 657) as u32;
    }
}

fn many_alternatives(on: &Engine) -> Check {
    let mut x: Vec<u32> = (0..700).collect();
    launch!(on, any(write x), LaunchConfig::cover(x.len()))?;
    let wanted: Vec<u32> = (0..700).map(|c| u32::from(c % 3 == 0 && c < 660)).collect();
    same("x", &x, &wanted)
}

#[device]
#[allow(non_snake_case, reason = "upper-case names of variables are what is tried")]
fn next(N: usize) -> usize {
    N + 1
}

#[kernel]
#[allow(non_snake_case, reason = "upper-case names of variables are what is tried")]
fn upper(X: &mut [usize]) {
    let N = X.len();
    let (A, B) = (N * 2, next(N));
    let F = |C: usize| C + A;
    for I in 0..N {
        X[I] = F(I) + B;
    }
}

fn upper_case(on: &Engine) -> Check {
    let mut x = vec![0; 3];
    launch!(on, upper(write x), LaunchConfig::grid(1).block(1))?;
    same("x", &x, &[10, 11, 12])
}

#[device]
fn suma·més(é: u32) -> u32 {
    é + 1
}

#[kernel]
fn col·lecció(größe: &mut [u32]) {
    let ñ·ñ = suma·més(größe[0]);
    größe[0] = ñ·ñ;
}

fn beyond_ascii(on: &Engine) -> Check {
    let mut x = vec![4];
    launch!(on, col·lecció(write x), LaunchConfig::grid(1).block(1))?;
    same("x", &x, &[5])
}
